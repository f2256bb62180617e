package measure

import (
	"bytes"
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// A till serves one message each gap, on all its connections together: its capacity is exact,
// however late its goroutine runs.
type till struct {
	gap     time.Duration
	sink    requester.Sink
	pending chan served
}

type served struct {
	at      time.Time
	payload []byte
}

func (s *till) New(_ int, sink requester.Sink) (requester.Requester, error) {
	s.sink, s.pending = sink, make(chan served, 1<<16)
	go func() {
		for m := range s.pending {
			time.Sleep(time.Until(m.at))
			s.sink.Reply(m.payload)
		}
	}()
	return &tillConn{till: s}, nil
}

type tillConn struct {
	*till

	free time.Time
}

func (*tillConn) Traits() requester.Traits    { return requester.Traits{} }
func (*tillConn) Setup(context.Context) error { return nil }

func (c *tillConn) Request(_ context.Context, payload []byte) error {
	c.free = later(c.free, time.Now()).Add(c.gap)
	c.pending <- served{c.free, bytes.Clone(payload)}
	return nil
}

func (c *tillConn) Teardown(context.Context) error {
	close(c.pending)
	return nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// In real time each interval ends some microseconds late, so that one of the warm-up reaches
// into the window. In virtual time the window begins and ends that much too early.
func TestAnOverloadIsSeenByLateIntervals(t *testing.T) {
	for _, late := range []time.Duration{20 * time.Microsecond, 3 * ms} {
		for _, window := range []time.Duration{10 * time.Second, 20 * time.Second} {
			t.Run(late.String()+" of "+window.String(), func(t *testing.T) { synctest.Test(t, func(t *testing.T) { overloaded(t, late, window) }) })
		}
	}
}

// overloaded wants an overload to be found by intervals that end late.
func overloaded(t *testing.T, late, window time.Duration) {
	t.Helper()
	cell := cellOf(1009, window)
	cell.Settings.Warmup -= late
	c, err := judged(t.Context(), &till{gap: ms}, cell, Options{NewWaiter: load.SleepWaiter, Observer: &observer{at: 500 * ms, hiccup: 2 * ms}})
	if err != nil {
		t.Fatal(err)
	}
	if _, found := c.Problem(results.CodeRate); !found || c.Verdict != results.Invalid || c.Steady == nil || math.Abs(c.Steady.GrowsNSPer-9e6) > 1e6 || math.Abs(c.Steady.CapacityPS-1000) > 1 {
		t.Errorf("%s, %+v, steady %+v; not judged: %+v", c.Verdict, c.Problems, c.Steady, c.NotJudged)
	}
	if from := time.Duration(c.Usage.FromNS); from < time.Second-late || c.Hiccup.Count != 0 {
		t.Errorf("usage from %v, %d hiccups: want those of the window alone", from, c.Hiccup.Count)
	}
}

// tills are systems with a till for each connection, of which the fourth is 1 % slower than messages
// are due.
type tills struct{}

func (tills) New(i int, sink requester.Sink) (requester.Requester, error) {
	gap := 5 * ms
	if i == 3 {
		gap = 10100 * time.Microsecond
	}
	return new(till{gap: gap}).New(i, sink)
}

func TestOneOverloadedConnectionOfTen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cell := cellOf(1000, 10*time.Second)
		cell.Shape.Connections = 10
		c, err := judged(t.Context(), tills{}, cell, Options{NewWaiter: load.SleepWaiter})
		if err != nil {
			t.Fatal(err)
		}
		g := c.Steady.Growing
		if g == nil || g.Connections != 1 || g.Of != 10 || math.Abs(g.GrowsNSPer-10e6) > 1e6 || c.Verdict != results.Invalid {
			t.Errorf("%+v, %s, %+v", g, c.Verdict, c.Problems)
		}
		if p, _ := c.Problem(results.CodeRate); !p.Limit("response", 90) || p.Limit("response", 75) {
			t.Errorf("%+v", p)
		}
	})
}
