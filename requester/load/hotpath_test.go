package load

import (
	"context"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/content"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
)

// echo answers inside Request.
type echo struct{ reply func([]byte) }

func (*echo) Traits() requester.Traits                    { return requester.Traits{} }
func (e *echo) Setup(context.Context) error               { return nil }
func (e *echo) Teardown(context.Context) error            { return nil }
func (e *echo) Request(_ context.Context, p []byte) error { e.reply(p); return nil }

type nothing struct{}

func (nothing) Record(Op) {}

// connOf returns a connection without a run around it.
func connOf(cfg Config) *conn {
	r := newRun(context.Background(), cfg.withDefaults(), nothing{})
	c := &conn{run: r, limit: max(cfg.InFlight, 1)}
	c.arrivals, c.sends = r.cfg.Schedule.Cursor(r.parts[0]), r.cfg.Schedule.Cursor(r.parts[0])
	c.requester = &echo{c.reply}
	return c
}

// withoutAllocations sends 1,001 messages over a connection after a change, and wants none of
// them to allocate.
func withoutAllocations(t *testing.T, change func(*conn)) *conn {
	t.Helper()
	c := connOf(Config{Schedule: schedule.Spec{Rate: 1000, Duration: time.Hour}, Size: 256})
	change(c)
	buffer := make([]byte, 256)
	got := testing.AllocsPerRun(1000, func() {
		payload := c.run.body.Fill(buffer, c.stamp(c.dues))
		c.arrive(0, 0, payload)
	})
	if got != 0 || c.window.Done != 1001 {
		t.Errorf("%v allocations an op, %d done", got, c.window.Done)
	}
	return c
}

func TestAnOpDoesNotAllocate(t *testing.T) { withoutAllocations(t, func(*conn) {}) }

func TestAnOpOfOneOfSeveralSizesDoesNotAllocate(t *testing.T) {
	c := withoutAllocations(t, func(c *conn) {
		c.run.body = content.New(content.Config{Size: 256, Sizes: "64B:50%,256B:50%"})
		c.sizes = make([]Ledger, 2)
	})
	if c.sizes[0].Done+c.sizes[1].Done != 1001 || c.sizes[0].Done < 400 || c.sizes[1].Done < 400 {
		t.Errorf("%+v", c.sizes)
	}
}

// acknowledges answers inside Request, and acknowledges after that.
type acknowledges struct {
	echo
	ack func([]byte)
}

func (a *acknowledges) Request(_ context.Context, p []byte) error {
	a.reply(p)
	a.ack(p)
	return nil
}

func (nothing) RecordAck(Ack) {}

func TestAnAckDoesNotAllocate(t *testing.T) {
	c := withoutAllocations(t, func(c *conn) { c.traits.Acknowledges, c.requester = true, &acknowledges{echo{c.reply}, c.ack} })
	if c.window.AckLedger.Delivered != 1001 {
		t.Errorf("ledger %+v", c.window.AckLedger)
	}
}

func (nothing) RecordPublish(Publish) {}

func TestPublishingDoesNotAllocate(t *testing.T) {
	withoutAllocations(t, func(c *conn) { c.publishes, c.run.publishes = true, nothing{} })
}

// stamps answers inside Request, with the time of an echo.
type stamps struct{ echo }

func (e *stamps) Request(_ context.Context, p []byte) error {
	requester.PutEcho(p, 5)
	e.reply(p)
	return nil
}

func TestAnEchoedOpDoesNotAllocate(t *testing.T) {
	withoutAllocations(t, func(c *conn) {
		c.run.cfg.Echo, c.run.echoStart = &Echo{}, 1
		c.run.body = content.New(content.Config{Size: 256, Tail: requester.EchoSize, Seed: 1})
		c.requester = &stamps{echo{c.reply}}
	})
}

func TestWaitersDoNotAllocate(t *testing.T) {
	start := time.Now()
	for name, w := range map[string]Waiter{"sleep": SleepWaiter(start), "kernel": KernelWaiter(10 * time.Microsecond)(start)} {
		got := testing.AllocsPerRun(20, func() { w.Until(time.Since(start) + 50*time.Microsecond) })
		if got != 0 {
			t.Errorf("%s: %v allocations", name, got)
		}
	}
}

func TestWaitersAreNeverEarly(t *testing.T) {
	start := time.Now()
	for _, spin := range []time.Duration{0, 50 * time.Microsecond, time.Millisecond} {
		w := KernelWaiter(spin)(start)
		for i := range 50 {
			due := time.Since(start) + time.Duration(i)*10*time.Microsecond
			w.Until(due)
			if now := time.Since(start); now < due {
				t.Fatalf("spin %v: woken %v early", spin, due-now)
			}
		}
	}
}

func TestMergeIsInOrder(t *testing.T) {
	for _, arrivals := range []schedule.Arrivals{schedule.Constant, schedule.Poisson, schedule.Burst(10)} {
		cfg := Config{Schedule: schedule.Spec{Arrivals: arrivals, Rate: 1000, Duration: time.Second, Seed: 3}, Size: 16, Connections: 7}
		r := newRun(context.Background(), cfg.withDefaults(), nothing{})
		var conns []*conn
		for i := range cfg.Connections {
			conns = append(conns, &conn{run: r, index: i, arrivals: r.cfg.Schedule.Cursor(r.parts[i])})
		}
		m := newMerge(conns)
		n, last := 0, time.Duration(-1)
		for _, due, ok := m.next(); ok; _, due, ok = m.next() {
			if due < last {
				t.Fatalf("%s: %v comes after %v", arrivals, due, last)
			}
			n, last = n+1, due
			m.take()
		}
		want := 0
		for i := range cfg.Connections {
			want += cfg.Schedule.Count(r.parts[i])
		}
		if n != want {
			t.Errorf("%s: %d ops, want %d", arrivals, n, want)
		}
	}
}

func TestDefaultSpinLeavesTheBrokerItsCore(t *testing.T) {
	for _, tt := range []struct {
		rate    schedule.Rate
		senders int
		cores   float64
		want    time.Duration
	}{
		{100, 1, 2, 100},
		{3000, 1, 2, 100},
		{5000, 1, 2, 50},
		{20_000, 1, 2, 0},
		{20_000, 1, 4, 100},
		{20_000, 1, 3.9, 0},
		{20_000, 2, 4, 0},
		{20_000, 2, 8, 100},
		{6000, 2, 2, 100},
		{20_000, 0, 2, 0},
		{20_000, 1, 0.5, 0},
		{100, 1, 0, 100},
	} {
		if got := DefaultSpin(tt.rate, tt.senders, tt.cores); got != tt.want*time.Microsecond {
			t.Errorf("%v by %d senders on %v cores: %v, want %d µs", tt.rate, tt.senders, tt.cores, got, tt.want)
		}
	}
}
