package load_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// deaf is a system that stops for good: it answers some requests, takes a few
// more without answering, and then blocks every Request until its ctx is done or,
// if it is stubborn, until Teardown.
type deaf struct {
	answers, takes int
	stubborn       bool

	mu    sync.Mutex
	n     int
	reply func([]byte)
	torn  chan struct{}
}

func (d *deaf) New(_ int, sink requester.Sink) (requester.Requester, error) {
	d.n, d.reply, d.torn = 0, sink.Reply, make(chan struct{})
	return d, nil
}
func (*deaf) Traits() requester.Traits      { return requester.Traits{} }
func (d *deaf) Setup(context.Context) error { return nil }
func (d *deaf) Teardown(context.Context) error {
	close(d.torn)
	return nil
}

func (d *deaf) Request(ctx context.Context, p []byte) error {
	d.mu.Lock()
	d.n++
	n := d.n
	d.mu.Unlock()
	switch {
	case n <= d.answers:
		d.reply(p)
	case n <= d.answers+d.takes:
	case d.stubborn:
		<-d.torn
		return errRefused
	default:
		select {
		case <-ctx.Done():
		case <-d.torn:
		}
		return errRefused
	}
	return nil
}

// The slots of two unanswered ops are freed, what waits for them is sent, and
// that Request blocks: the run ends when it should all the same.
func TestARequestThatBlocksDelaysNoEnd(t *testing.T) {
	f := &deaf{answers: 51, takes: 2}
	cfg := load.Config{Schedule: constant(100, 2*time.Second), InFlight: 2, Timeout: 500 * ms}
	outcome, _ := virtual(t, f, cfg)
	wantLedger(t, outcome.Window, load.Ledger{Due: 200, Done: 50, Lost: 3, Unsent: 147})
	wantTime(t, "elapsed", outcome.Elapsed, 2500*ms)
}

// The same with a synchronous function that does not come back: its slot is never
// given to another op, since there is only one.
func TestABlockingCallThatHangsDelaysNoEnd(t *testing.T) {
	n := 0
	f := requester.Blocking(func(ctx context.Context, p []byte) ([]byte, error) {
		if n++; n > 51 {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return p, nil
	})
	cfg := load.Config{Schedule: constant(100, 2*time.Second), Timeout: 500 * ms}
	outcome, _ := virtual(t, f, cfg)
	wantLedger(t, outcome.Window, load.Ledger{Due: 200, Done: 49, Lost: 1, Unsent: 150})
	wantTime(t, "elapsed", outcome.Elapsed, 2500*ms)
}

// Ctrl-C is heard although a Request blocks, before the schedule's end and in the
// drain. Both are an interruption.
func TestAnInterruptionIsHeardWhileARequestBlocks(t *testing.T) {
	for at, want := range map[time.Duration]struct {
		due     int64
		elapsed time.Duration
	}{
		1500 * ms:       {151, 2500 * ms},
		3 * time.Second: {200, 4 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			cfg := load.Config{
				Schedule: constant(100, 2*time.Second), InFlight: 2, Timeout: time.Minute, Size: requester.StampSize, NewWaiter: unlocked,
			}
			hooks := load.Hooks{Started: func(start time.Time) { time.AfterFunc(time.Until(start.Add(at)), cancel) }}
			outcome, err := load.Run(ctx, &deaf{answers: 51, takes: 1}, cfg, &keeper{}, hooks)
			if err != nil {
				t.Fatal(err)
			}
			if !outcome.Interrupted || outcome.Window.Due != want.due || outcome.Elapsed != want.elapsed {
				t.Errorf("interrupted after %v: %+v", at, outcome)
			}
		})
	}
}

// A Request that only Teardown ends, called from a reply, holds up nothing.
func TestARequestThatOnlyTeardownEnds(t *testing.T) {
	outcome, k := virtual(t, &deaf{answers: 51, takes: 0, stubborn: true},
		load.Config{Schedule: constant(100, time.Second), InFlight: 1, Timeout: 500 * ms})
	wantLedger(t, outcome.Window, load.Ledger{Due: 100, Done: 50, Lost: 1, Unsent: 49})
	if len(k.ops.all) != 50 {
		t.Errorf("%d ops recorded, want 50", len(k.ops.all))
	}
}

// nested answers each request from a goroutine of its own; from the 51st on a
// Request blocks until Teardown. With one in flight that is a Request which the
// engine issues from within the reply.
type nested struct{ deaf }

func (n *nested) New(conn int, sink requester.Sink) (requester.Requester, error) {
	_, _ = n.deaf.New(conn, requester.Replies(func(p []byte) {
		p = append([]byte(nil), p...)
		go func() {
			time.Sleep(15 * ms) // longer than the gap: the next op is queued
			sink.Reply(p)
		}()
	}))
	return n, nil
}

func TestARequestWithinAReplyThatOnlyTeardownEnds(t *testing.T) {
	outcome, k := virtual(t, &nested{deaf{answers: 51, stubborn: true}},
		load.Config{Schedule: constant(100, time.Second), InFlight: 1, Timeout: 500 * ms})
	wantLedger(t, outcome.Window, load.Ledger{Due: 100, Done: 50, Lost: 1, Unsent: 49})
	if len(k.ops.all) != 50 {
		t.Errorf("%d ops recorded, want 50", len(k.ops.all))
	}
}

// The probe of the message size is bounded by its time limit and by ctx, also
// while its Request blocks.
func TestAProbeThatBlocksEnds(t *testing.T) {
	for name, stop := range map[string]time.Duration{"time limit": time.Hour, "interrupted": time.Second} {
		for _, stubborn := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), stop)
				defer cancel()
				start := time.Now()
				cfg := load.Config{Schedule: constant(10, time.Second), Size: requester.StampSize, NewWaiter: unlocked}
				_, err := load.Run(ctx, &deaf{stubborn: stubborn}, cfg, &keeper{}, load.Hooks{})
				if took := time.Since(start); err == nil || took > min(stop, 10*time.Second) {
					t.Errorf("%s, stubborn %v: %v after %v", name, stubborn, err, took)
				}
			})
		}
	}
}

// rude blocks in Request and Teardown for good; nothing ends them.
type rude struct{ deaf }

func (r *rude) New(conn int, sink requester.Sink) (requester.Requester, error) {
	_, err := r.deaf.New(conn, sink)
	return r, err
}

func (r *rude) Teardown(context.Context) error {
	<-r.torn
	return nil
}

// Who gives up gets what there is within two seconds, from a requester that
// returns from nothing.
func TestGivingUpKeepsWhatThereIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &rude{deaf{answers: 51, takes: 1, stubborn: true}}
		giveUp := make(chan struct{})
		var gaveUp time.Time
		cfg := load.Config{Schedule: constant(100, time.Minute), Timeout: time.Minute, Size: requester.StampSize, NewWaiter: unlocked}
		hooks := load.Hooks{GiveUp: giveUp, Started: func(start time.Time) {
			gaveUp = start.Add(1500 * ms)
			time.AfterFunc(time.Until(gaveUp), func() { close(giveUp) })
		}}
		outcome, err := load.Run(t.Context(), f, cfg, &keeper{}, hooks)
		if took := time.Since(gaveUp); err != nil || took > 2*time.Second || !outcome.Interrupted {
			t.Errorf("%v after giving up: %+v, %v", took, outcome, err)
		}
		wantLedger(t, outcome.Window, load.Ledger{Due: 151, Done: 50, Lost: 2, Unsent: 99})
		if len(outcome.Events) != 2 {
			t.Errorf("events %+v, want one of the sender and one of the connection", outcome.Events)
		}
		close(f.torn) // lets the goroutines that were left behind end
	})
}

// What can never be sent is counted and not walked: walking it takes minutes after
// the schedule and the timeout are over, and this test would time out.
func TestAnAbsurdRateEnds(t *testing.T) {
	cfg := load.Config{
		Schedule: constant(1_000_000_000, 30*time.Second), Warmup: 10 * time.Second, Timeout: time.Second, Size: requester.StampSize,
		NewWaiter: unlocked,
	}
	synctest.Test(t, func(t *testing.T) {
		outcome, err := load.Run(t.Context(), &blocker{n: 40}, cfg, &keeper{}, load.Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		all := outcome.Warmup.Due + outcome.Window.Due
		if outcome.Window.Due != 20_000_000_000 || all != 30_000_000_000 || outcome.Warmup.Unsent+outcome.Window.Unsent < all-100 {
			t.Errorf("%+v, %+v", outcome.Warmup, outcome.Window)
		}
	})
}

// numb never returns from Setup, but lets other connections do so, or fail.
type numb struct{ fails bool }

func (n numb) New(conn int, sink requester.Sink) (requester.Requester, error) {
	return numbConn{conn: conn, numb: n, deaf: &deaf{reply: sink.Reply, torn: make(chan struct{})}}, nil
}

type numbConn struct {
	numb
	*deaf
	conn int
}

func (n numbConn) New(int, requester.Sink) (requester.Requester, error) { return n, nil }

func (numbConn) Traits() requester.Traits { return requester.Traits{} }
func (n numbConn) Setup(context.Context) error {
	switch {
	case n.conn == 0:
		<-n.torn
	case n.fails && n.conn == 3:
		return errRefused
	}
	return nil
}

func TestASetupThatDoesNotReturnEnds(t *testing.T) {
	for _, tt := range []struct {
		fails bool
		limit time.Duration
		says  string
	}{{true, 6 * time.Second, "setting up connection 3: refused"}, {false, 36 * time.Second, "setting up connection 0: Setup does not return"}} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			cfg := load.Config{Schedule: constant(10, time.Second), Connections: 5, Size: requester.StampSize, NewWaiter: unlocked}
			_, err := load.Run(t.Context(), numb{tt.fails}, cfg, &keeper{}, load.Hooks{})
			if took := time.Since(start); err == nil || !strings.Contains(err.Error(), tt.says) || took > tt.limit {
				t.Errorf("%v after %v, want %q within %v", err, took, tt.says, tt.limit)
			}
		})
	}
}
