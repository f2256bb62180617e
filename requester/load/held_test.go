package load_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

const µs = time.Microsecond

// slow is a system whose Request takes a time for each message, and which then
// answers at once.
type slow struct {
	takes func(conn int, seq uint64) time.Duration
	conn  int
	reply func([]byte)
}

func (s slow) New(conn int, sink requester.Sink) (requester.Requester, error) {
	return slow{s.takes, conn, sink.Reply}, nil
}
func (slow) Traits() requester.Traits       { return requester.Traits{} }
func (slow) Setup(context.Context) error    { return nil }
func (slow) Teardown(context.Context) error { return nil }

func (s slow) Request(_ context.Context, payload []byte) error {
	stamp, _ := requester.ReadStamp(payload)
	if stamp.Seq != requester.ProbeSeq {
		time.Sleep(s.takes(s.conn, stamp.Seq))
	}
	s.reply(payload)
	return nil
}

// Of the messages of a burst each waits for the calls of those before it. That is no
// lag of the generator.
func TestABurstThatIsSentOneByOneIsNoLag(t *testing.T) {
	f := slow{takes: func(int, uint64) time.Duration { return 50 * µs }}
	cfg := load.Config{Schedule: schedule.Spec{Arrivals: schedule.Burst(100), Rate: 1000, Duration: 10 * time.Second}}
	outcome, k := virtual(t, f, cfg)
	wantLedger(t, outcome.Window, load.Ledger{Due: 10_000, Done: 10_000})
	wantTime(t, "the worst lag", quantile(k.sorted(load.Op.Lag), 100), 0)
	for _, op := range k.ops.all {
		wantTime(t, "held", op.Held, 50*µs*time.Duration(op.Seq%100))
	}
}

// A system that takes no message for 300 ms holds up what becomes due meanwhile, on
// every connection of that sender.
func TestASystemThatTakesNoMessagesHoldsUpTheSender(t *testing.T) {
	for _, tt := range []struct {
		connections, senders, held int
		byOthers                   float64
	}{
		{1, 1, 299, 0},
		{4, 1, 299, 224. / 299}, // what was due on the first was held up by its own call, as with callers of their own
		{4, 4, 74, 0},
	} {
		f := slow{takes: func(conn int, seq uint64) time.Duration {
			if conn == 0 && seq == uint64(4000/tt.connections) { // due at 4 s
				return 300 * ms
			}
			return 0
		}}
		cfg := load.Config{Schedule: constant(1000, 10*time.Second), Connections: tt.connections, Senders: tt.senders}
		outcome, k := virtual(t, f, cfg)
		held := 0
		for _, op := range k.ops.all {
			want := time.Duration(0)
			if op.Due > 4*time.Second && op.Due < 4300*ms && (tt.senders == 1 || op.Conn == 0) {
				held, want = held+1, 4300*ms-op.Due
			}
			wantTime(t, "held", op.Held, want)
			wantTime(t, "lag", op.Lag(), 0)
		}
		if got := outcome.HeldByOthers; held != tt.held || got < tt.byOthers-0.01 || got > tt.byOthers+0.01 {
			t.Errorf("%+v: %d held up, %.3f of it by others", tt, held, got)
		}
	}
}

// A generator that stands still is late for all that becomes due meanwhile, and not
// only for the first: the others wait for no call of Request.
func TestAGeneratorThatStandsStillIsLateForAll(t *testing.T) {
	cfg := load.Config{Schedule: constant(1000, 10*time.Second), NewWaiter: standingStill(func(due time.Duration) time.Duration {
		if due == 4*time.Second {
			return 20 * ms
		}
		return 0
	})}
	_, k := virtual(t, system(t, loopback.Config{}), cfg)
	for _, op := range k.ops.all {
		wantTime(t, "held", op.Held, 0)
		if op.Due >= 4*time.Second && op.Due < 4020*ms {
			wantTime(t, "lag", op.Lag(), 4020*ms-op.Due)
		} else {
			wantTime(t, "lag", op.Lag(), 0)
		}
	}
}

// Whatever system and generator do, response is held, lag and service, to the
// nanosecond, and none of them is negative.
func TestResponseIsHeldAndLagAndService(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	sometimes := func() time.Duration {
		if draw.IntN(20) > 0 {
			return time.Duration(draw.IntN(100_000))
		}
		return time.Duration(draw.IntN(10_000_000))
	}
	for _, connections := range []int{1, 5} {
		cfg := load.Config{
			Schedule:    schedule.Spec{Arrivals: schedule.Poisson, Rate: 1000, Duration: 5 * time.Second, Seed: 1},
			Connections: connections,
			NewWaiter:   standingStill(func(time.Duration) time.Duration { return sometimes() }),
		}
		outcome, k := virtual(t, slow{takes: func(int, uint64) time.Duration { return sometimes() }}, cfg)
		held, lagging := 0, 0
		for _, op := range k.ops.all {
			if op.Queued || op.Held < 0 || op.Lag() < 0 || op.Response() != op.Held+op.Lag()+op.Service() {
				t.Fatalf("%+v: lag %v, service %v, response %v", op, op.Lag(), op.Service(), op.Response())
			}
			if op.Held > 0 {
				held++
			}
			if op.Lag() > 0 {
				lagging++
			}
		}
		others := outcome.HeldByOthers
		if len(k.ops.all) < 4500 || held < 1000 || lagging < 1000 || connections == 1 && others != 0 || connections > 1 && (others <= 0 || others >= 1) {
			t.Errorf("%d connections: of %d ops %d were held up, %.2f by others, and %d lagged", connections, len(k.ops.all), held, others, lagging)
		}
	}
}

// An op that waits for a slot waits for no call: it is out of both series.
func TestAQueuedOpIsNotHeldUp(t *testing.T) {
	_, k := virtual(t, sleeper(10*ms), load.Config{Schedule: constant(200, time.Second)})
	queued := 0
	for _, op := range k.ops.all {
		wantTime(t, "held", op.Held, 0)
		if op.Queued {
			queued++
		}
	}
	if queued < 150 {
		t.Errorf("only %d of %d were queued", queued, len(k.ops.all))
	}
}

// stander is a waiter in virtual time that comes back too late.
type stander struct {
	load.Waiter
	late func(due time.Duration) time.Duration
}

func (s stander) Until(due time.Duration) {
	s.Waiter.Until(due)
	time.Sleep(s.late(due))
}

// standingStill makes waiters that are so late for each due.
func standingStill(late func(due time.Duration) time.Duration) load.NewWaiter {
	return func(start time.Time) load.Waiter { return stander{unlocked(start), late} }
}
