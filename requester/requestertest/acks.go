package requestertest

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// acks counts what the engine records.
type acks struct{ ops, acks atomic.Int64 }

// Record implements [load.Recorder].
func (a *acks) Record(load.Op) { a.ops.Add(1) }

// RecordAck implements [load.AckRecorder].
func (a *acks) RecordAck(load.Ack) { a.acks.Add(1) }

// EachIsAcknowledged wants each of 1,000 messages over 3 connections to be acknowledged once
// and to come back once; or, with none, to come back without.
func EachIsAcknowledged(t *testing.T, f requester.Factory, none bool) {
	t.Helper()
	var a acks
	cfg := load.Config{Schedule: schedule.Spec{Rate: 1000, Duration: time.Second}, Size: 256, Connections: 3, Timeout: 10 * time.Second}
	out, err := load.Run(t.Context(), f, cfg, &a, load.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	want := int64(1000)
	if none {
		want = 0
	}
	p := out.AckLedger
	if out.Acks == none || p.Acked != want || p.Delivered != want || a.acks.Load() != want {
		t.Errorf("promises %+v, %d acknowledgements recorded, want %d", p, a.acks.Load(), want)
	}
	if out.Window.Done != 1000 || a.ops.Load() != 1000 || out.Strays != (load.Strays{}) {
		t.Errorf("ledger %+v, strays %+v, %d ops recorded, want 1000; %v", out.Window, out.Strays, a.ops.Load(), out.Failures)
	}
}

// Store sends n messages over connection number, and returns when all are acknowledged.
func Store(t testing.TB, f requester.Factory, number, n, size int) *Link {
	t.Helper()
	return stored(t, f, number, n, size, nil)
}

// stored is Store with a function that gets the replies; nil is the link's own.
func stored(t testing.TB, f requester.Factory, number, n, size int, reply func([]byte)) *Link {
	t.Helper()
	l := newLink(t, f, number, reply)
	acked := make(chan struct{}, n)
	l.Acked = func(p []byte) {
		if stamp, ok := requester.ReadStamp(p); ok && stamp.Seq < uint64(n) {
			acked <- struct{}{}
		}
	}
	if err := l.Begin(); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		l.Send(t, Payload(uint32(number), uint64(i), size))
	}
	for i := range n {
		select {
		case <-acked:
		case <-time.After(patience):
			t.Fatalf("%d of %d messages are acknowledged", i, n)
		}
	}
	return l
}

// Audited returns how often an audit finds each message of each connection.
func Audited(t testing.TB, f requester.Factory) map[requester.Stamp]int {
	t.Helper()
	found := make(map[requester.Stamp]int)
	err := f.(requester.Auditor).Audit(t.Context(), func(payload []byte) {
		if stamp, ok := requester.ReadStamp(payload); ok && stamp.Run == 1 { // or it is a probe
			found[stamp]++
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// AuditReadsAll stores messages over two connections, and wants an audit to find each of
// them once, however often it is asked.
func AuditReadsAll(t testing.TB, f requester.Factory, n, size, audits int) {
	t.Helper()
	for number := range 2 {
		Store(t, f, number, n, size)
	}
	for range audits {
		found := Audited(t, f)
		if len(found) != 2*n {
			t.Errorf("%d different messages, want %d", len(found), 2*n)
		}
		for stamp, times := range found {
			if times != 1 {
				t.Fatalf("%+v is found %d times", stamp, times)
			}
		}
	}
}

// AuditMisses wants an audit to find once each of the n messages that Store sent over
// connection 0, but not those that are gone.
func AuditMisses(t testing.TB, f requester.Factory, n int, gone ...uint64) {
	t.Helper()
	found := Audited(t, f)
	for seq := range uint64(n) {
		want := 1
		if slices.Contains(gone, seq) {
			want = 0
		}
		if got := found[requester.Stamp{Run: 1, Seq: seq}]; got != want {
			t.Errorf("message %d is found %d times, want %d", seq, got, want)
		}
	}
	if want := n - len(gone); len(found) != want {
		t.Errorf("%d messages, want %d", len(found), want)
	}
}

// EachIsDeliveredOrKept sends n messages over each of two connections to a system whose consumers
// take messages out of its store, and audits it while the consumers are far behind. It wants each message
// to be delivered or found by the audit, and none twice.
func EachIsDeliveredOrKept(t *testing.T, f requester.Factory, n int) {
	t.Helper()
	seen := make(map[requester.Stamp]int)
	var mu sync.Mutex
	count := func(p []byte) {
		if stamp, ok := requester.ReadStamp(p); ok && stamp.Run == 1 { // or it is a probe
			mu.Lock()
			seen[stamp]++
			mu.Unlock()
		}
	}
	links := make([]*Link, 2)
	for number := range links {
		links[number] = stored(t, f, number, n, 100, func(p []byte) {
			count(p)
			time.Sleep(100 * time.Microsecond)
		})
	}
	mu.Lock()
	delivered := len(seen)
	mu.Unlock()
	kept := 0
	if err := f.(requester.Auditor).Audit(t.Context(), func(p []byte) { kept++; count(p) }); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d were delivered when the audit began; it found %d", delivered, 2*n, kept)
	if len(seen) != 2*n {
		t.Errorf("%d different messages were delivered or kept, want %d", len(seen), 2*n)
	}
	for stamp, times := range seen {
		if times != 1 {
			t.Fatalf("%+v was seen %d times", stamp, times)
		}
	}
	for _, l := range links {
		l.End(t)
	}
}
