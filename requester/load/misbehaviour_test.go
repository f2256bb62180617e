package load_test

import (
	"context"
	"errors"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

func TestDroppedAreLostExactly(t *testing.T) {
	f := system(t, loopback.Config{Delay: ms, Drop: 0.01})
	outcome, _ := virtual(t, f, load.Config{Schedule: constant(1000, 10*time.Second), Timeout: 3 * time.Second})
	wantLedger(t, outcome.Window, load.Ledger{Due: 10_000, Done: 9900, Lost: 100})
	wantTime(t, "elapsed", outcome.Elapsed, 13*time.Second)
}

// With one op in flight a lost reply holds the slot for the timeout, then the
// run goes on.
func TestDroppedWithOneInFlight(t *testing.T) {
	f := system(t, loopback.Config{Delay: ms, Drop: 0.1})
	cfg := load.Config{Schedule: constant(10, 10*time.Second), InFlight: 1, Timeout: 500 * ms}
	outcome, _ := virtual(t, f, cfg)
	wantLedger(t, outcome.Window, load.Ledger{Due: 100, Done: 90, Lost: 10})
}

func TestDuplicatesAreCountedOnce(t *testing.T) {
	f := system(t, loopback.Config{Delay: ms, Duplicate: 0.1})
	outcome, _ := virtual(t, f, load.Config{Schedule: constant(100, 10*time.Second)})
	wantLedger(t, outcome.Window, load.Ledger{Due: 1000, Done: 1000})
	if want := (load.Strays{Duplicate: 100}); outcome.Strays != want {
		t.Errorf("strays %+v, want %+v", outcome.Strays, want)
	}
}

func TestCorruptRepliesMakeNothingDone(t *testing.T) {
	f := system(t, loopback.Config{Delay: ms, Corrupt: 0.1})
	cfg := load.Config{Schedule: constant(100, 10*time.Second), Size: 1000, Timeout: time.Second}
	outcome, _ := virtual(t, f, cfg)
	wantLedger(t, outcome.Window, load.Ledger{Due: 1000, Done: 900, Lost: 100})
	if want := (load.Strays{Corrupt: 100}); outcome.Strays != want {
		t.Errorf("strays %+v, want %+v", outcome.Strays, want)
	}
}

// connected needs no set-up.
type connected struct{}

func (connected) Traits() requester.Traits       { return requester.Traits{} }
func (connected) Setup(context.Context) error    { return nil }
func (connected) Teardown(context.Context) error { return nil }

// latecomer answers each request at once, but one of them much later.
type latecomer struct {
	connected
	late  uint64
	by    time.Duration
	reply func([]byte)
	wg    sync.WaitGroup
}

func (l *latecomer) New(_ int, sink requester.Sink) (requester.Requester, error) {
	l.reply = sink.Reply
	return l, nil
}

func (l *latecomer) Teardown(context.Context) error {
	l.wg.Wait()
	return nil
}

func (l *latecomer) Request(_ context.Context, payload []byte) error {
	by := ms
	if stamp, _ := requester.ReadStamp(payload); stamp.Seq == l.late {
		by = l.by
	}
	payload = append([]byte(nil), payload...)
	l.wg.Go(func() {
		time.Sleep(by)
		l.reply(payload)
	})
	return nil
}

// A reply that is later than the timeout belongs to its own op: the others keep
// their latency, and it is done if the cell has not ended.
func TestALateReplyShiftsNoOther(t *testing.T) {
	f := &latecomer{late: 10, by: 1500 * ms}
	cfg := load.Config{Schedule: constant(10, 5*time.Second), InFlight: 1, Timeout: time.Second}
	outcome, k := virtual(t, f, cfg)
	wantLedger(t, outcome.Window, load.Ledger{Due: 50, Done: 50})
	for _, op := range k.ops.all {
		want := ms
		if op.Seq == f.late {
			want = f.by
		}
		wantTime(t, "service", op.Service(), want)
	}
}

func TestAReplyBehindTheEndIsLost(t *testing.T) {
	f := &latecomer{late: 49, by: 1500 * ms}
	outcome, k := virtual(t, f, load.Config{Schedule: constant(10, 5*time.Second), Timeout: time.Second})
	wantLedger(t, outcome.Window, load.Ledger{Due: 50, Done: 49, Lost: 1})
	if len(k.ops.all) != 49 {
		t.Errorf("%d ops recorded, want 49", len(k.ops.all))
	}
}

// refuser fails every other request, at once or later.
type refuser struct {
	connected
	later bool
	n     int
	reply func([]byte)
	fail  func([]byte, error)
}

var errRefused = errors.New("refused")

func (r *refuser) New(_ int, sink requester.Sink) (requester.Requester, error) {
	r.reply, r.fail = sink.Reply, sink.Failed
	return r, nil
}

func (r *refuser) Request(_ context.Context, p []byte) error {
	r.n++
	if r.n%2 == 1 { // the probe is the first
		r.reply(p)
		return nil
	}
	if r.later {
		r.fail(p, errRefused)
		return nil
	}
	return errRefused
}

func TestFailures(t *testing.T) {
	for _, f := range []*refuser{{later: false}, {later: true}} {
		for _, inFlight := range []int{0, 1} {
			f.n = 0
			outcome, _ := virtual(t, f, load.Config{Schedule: constant(100, time.Second), InFlight: inFlight})
			wantLedger(t, outcome.Window, load.Ledger{Due: 100, Done: 50, Failed: 50})
			if want := (load.Failure{Cause: "refused", Count: 50}); len(outcome.Failures) != 1 || outcome.Failures[0] != want {
				t.Errorf("failures %+v, want %+v", outcome.Failures, want)
			}
		}
	}
}

// A system that blocks the sender in Request until ctx is done.
func TestABlockedSenderLeavesTheRestUnsent(t *testing.T) {
	f := &blocker{}
	cfg := load.Config{Schedule: constant(100, time.Second), Timeout: 2 * time.Second}
	outcome, _ := virtual(t, f, cfg)
	wantLedger(t, outcome.Window, load.Ledger{Due: 100, Done: 50, Lost: 1, Unsent: 49})
	wantTime(t, "elapsed", outcome.Elapsed, 3*time.Second)
}

// blocker answers 50 requests and the probe, and then takes no more.
type blocker struct {
	connected
	n     int
	reply func([]byte)
}

func (b *blocker) New(_ int, sink requester.Sink) (requester.Requester, error) {
	b.reply = sink.Reply
	return b, nil
}

func (b *blocker) Request(ctx context.Context, p []byte) error {
	if b.n++; b.n > 51 {
		<-ctx.Done()
		return ctx.Err()
	}
	b.reply(p)
	return nil
}

// foreigner sends along what is not its own.
type foreigner struct {
	connected
	reply func([]byte)
}

func (f *foreigner) New(_ int, sink requester.Sink) (requester.Requester, error) {
	return &foreigner{reply: sink.Reply}, nil
}

func (f *foreigner) Request(_ context.Context, p []byte) error {
	f.reply(p)
	stamp, _ := requester.ReadStamp(p)
	if stamp.Seq == requester.ProbeSeq {
		return nil
	}
	other := append([]byte(nil), p...)
	for _, s := range []requester.Stamp{
		{Run: stamp.Run + 1, Conn: stamp.Conn, Seq: stamp.Seq},
		{Run: stamp.Run, Conn: stamp.Conn + 1, Seq: stamp.Seq},
		{Run: stamp.Run, Conn: stamp.Conn, Seq: stamp.Seq + 1000},
	} {
		s.Put(other)
		f.reply(other)
	}
	f.reply(p[:3])
	return nil
}

func TestForeignReplies(t *testing.T) {
	outcome, _ := virtual(t, &foreigner{}, load.Config{Schedule: constant(10, time.Second), Size: 64})
	wantLedger(t, outcome.Window, load.Ledger{Due: 10, Done: 10})
	if want := (load.Strays{Foreign: 20, Corrupt: 20}); outcome.Strays != want {
		t.Errorf("strays %+v, want %+v", outcome.Strays, want)
	}
}

// Delivered is told of each message that came back intact, each time, also of one that comes
// after the run has given it up.
func TestDeliveredIsToldOfEach(t *testing.T) {
	for name, tt := range map[string]struct {
		system loopback.Config
		cfg    load.Config
		want   map[int]int // how many messages came so often
	}{
		"duplicates": {loopback.Config{Delay: ms, Duplicate: 0.1}, load.Config{}, map[int]int{1: 900, 2: 100}},
		"corrupt":    {loopback.Config{Delay: ms, Corrupt: 0.1}, load.Config{Size: 1000}, map[int]int{1: 900}},
		"late":       {loopback.Config{Delay: 5 * time.Second}, load.Config{Timeout: time.Second}, map[int]int{1: 1000}},
	} {
		synctest.Test(t, func(t *testing.T) {
			cfg := tt.cfg
			cfg.Schedule, cfg.NewWaiter, cfg.Size = constant(100, 10*time.Second), unlocked, max(cfg.Size, requester.StampSize)
			var mu sync.Mutex
			told := make(map[uint64]int)
			hooks := load.Hooks{
				Delivered: func(conn int, seq uint64) {
					mu.Lock()
					defer mu.Unlock()
					if conn != 0 {
						t.Errorf("connection %d", conn)
					}
					told[seq]++
				},
				Settled: func(func([]byte) (int, uint64, bool)) { time.Sleep(time.Minute) }, // nothing is torn down yet
			}
			if _, err := load.Run(t.Context(), system(t, tt.system), cfg, discard{}, hooks); err != nil {
				t.Fatal(err)
			}
			got := make(map[int]int)
			for _, times := range told {
				got[times]++
			}
			if !maps.Equal(got, tt.want) {
				t.Errorf("%s: %v, want %v", name, got, tt.want)
			}
		})
	}
}
