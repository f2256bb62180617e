package requestertest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

// auditMessages is how many messages the suite's audit reads of each connection: more than systems
// deliver at once.
const auditMessages = 12_345

// testAudit reads back what was acknowledged, if the system keeps anything.
func testAudit(t testing.TB, f requester.Factory) {
	a, _ := requester.As[requester.Auditor](f)
	if !NewLink(t, f, 0).Traits().Acknowledges {
		return // nothing says what must be there
	}
	if a.Store().Consuming {
		EachIsDeliveredOrKept(t, f, 5000)
		return
	}
	for number := range 2 {
		Store(t, f, number, auditMessages, 100)
	}
	s := seen{times: make(map[requester.Stamp]int)}
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	switch err := a.Audit(ctx, s.count); {
	case err == nil:
		wantOnce(t, s.times, 2*auditMessages)
	case !errors.Is(err, requester.ErrKeepsNothing):
		t.Errorf("the audit did not read its store to the end: %v (see requester.Auditor)", err)
	}
}

// Store sends n messages over connection number, and returns when all are acknowledged.
func Store(t testing.TB, f requester.Factory, number, n, size int) *Link {
	t.Helper()
	l := NewLink(t, f, number)
	l.store(t, number, n, size)
	return l
}

// store is Store for a link that is not set up.
func (l *Link) store(t testing.TB, number, n, size int) {
	t.Helper()
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
}

// seen counts how often each message was seen. It is safe for concurrent use.
type seen struct {
	mu    sync.Mutex
	times map[requester.Stamp]int
}

func (s *seen) count(payload []byte) {
	if stamp, ok := requester.ReadStamp(payload); ok && stamp.Run == 1 { // else it is a probe
		s.mu.Lock()
		defer s.mu.Unlock()
		s.times[stamp]++
	}
}

// wantOnce wants n messages, each of them once.
func wantOnce(t testing.TB, seen map[requester.Stamp]int, n int) {
	t.Helper()
	if len(seen) != n {
		t.Errorf("%d different messages are there, want %d (see requester.Auditor)", len(seen), n)
	}
	for stamp, times := range seen {
		if times != 1 {
			t.Fatalf("%+v is there %d times (see requester.Auditor)", stamp, times)
		}
	}
}

// Audited returns how often an audit finds each message of each connection.
func Audited(t testing.TB, f requester.Factory) map[requester.Stamp]int {
	t.Helper()
	s := seen{times: make(map[requester.Stamp]int)}
	a, _ := requester.As[requester.Auditor](f)
	if err := a.Audit(t.Context(), s.count); err != nil {
		t.Fatal(err)
	}
	return s.times
}

// AuditReadsAll stores n messages over each of two connections, and wants an audit to find each of
// them once, however often it is asked.
func AuditReadsAll(t testing.TB, f requester.Factory, n, size, audits int) {
	t.Helper()
	for number := range 2 {
		Store(t, f, number, n, size)
	}
	for range audits {
		wantOnce(t, Audited(t, f), 2*n)
	}
}

// EachIsDeliveredOrKept sends n messages over each of two connections to a system whose consumers
// take messages out of its store, and audits it while the consumers are far behind. It wants each
// message to be delivered or found by the audit, and none twice.
func EachIsDeliveredOrKept(t testing.TB, f requester.Factory, n int) {
	t.Helper()
	s := seen{times: make(map[requester.Stamp]int)}
	for number := range 2 {
		l := NewLink(t, f, number)
		l.Reply = func(p []byte) {
			s.count(p)
			time.Sleep(100 * time.Microsecond)
		}
		l.store(t, number, n, 100)
		defer l.End(t)
	}
	a, _ := requester.As[requester.Auditor](f)
	if err := a.Audit(t.Context(), s.count); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	wantOnce(t, s.times, 2*n)
}
