package impact

import (
	"math"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
)

func TestAnOutageIsTimedAndCounted(t *testing.T) {
	silent := gap{6 * second, 11 * second}
	w := &wire{reply: always(ms, silent), ack: always(ms/2, gap{6 * second, 9 * second})}
	c := brokenCell(t, w, brokenAt(500, 30*second, 5*second))
	h := c.Faults[0].Impact
	wantFor(t, "deliveries", h.Deliveries.ForNS, 5*second)
	wantFor(t, "acks", h.Acks.ForNS, 3*second)
	wantFor(t, "last", h.Deliveries.LastNS, 6*second)
	wantFor(t, "first", *h.Deliveries.FirstNS, 11*second)
	wantFor(t, "whole", h.Deliveries.WholeNS, 5*second)
	wantFor(t, "usual", h.Deliveries.UsualNS, 2*ms)
	wantFor(t, "worst", h.WorstNS, 5*second)
	wantFor(t, "p99 before", *h.BaseP99NS, ms)
	wantFor(t, "p99 later", *h.LaterP99NS, ms)
	if !h.Deliveries.Shown || h.Deliveries.Connections != 1 || math.Abs(float64(h.Deliveries.Due-2500)) > 2 {
		t.Errorf("%+v", *h.Deliveries)
	}
	if got := time.Duration(*h.RecoveredNS); got < 5*second-2*leastSlot || got > 5*second+leastSlot {
		t.Errorf("p99 was back after %v", got)
	}
	if h.Lost+h.Failed != 0 || h.Due < 12_500 || h.Due > 12_510 {
		t.Errorf("%+v", *h)
	}
}

// A broker that takes 10 s for everything, and steadily, has no outage.
func TestASlowSteadyBrokerHasNoOutage(t *testing.T) {
	cell := brokenAt(500, 40*second, 20*second)
	cell.Settings.Timeout = 20 * second
	h := brokenCell(t, &wire{reply: always(10 * second)}, cell).Faults[0].Impact
	if h.Deliveries.Shown || h.Deliveries.Due != 0 || h.Deliveries.For() > 5*ms {
		t.Errorf("%+v", *h.Deliveries)
	}
	if h.RecoveredNS == nil || *h.RecoveredNS != 0 {
		t.Errorf("p99 was back after %v ns, and had never left", h.RecoveredNS)
	}
	// What was on its way at the fault counts.
	wantFor(t, "from", h.FromNS, 11*second)
}

// Between two bursts nothing is due: a fault there has no impact.
func TestAFaultWhileNothingIsDue(t *testing.T) {
	cell := brokenAt(10, 60*second, 23*second)
	cell.Shape.Arrivals = "burst:100" // each 10 s
	h := brokenCell(t, &wire{reply: always(ms, gap{24 * second, 28 * second})}, cell).Faults[0].Impact
	if h.Deliveries.Shown || h.Deliveries.Due != 0 {
		t.Errorf("%+v", *h.Deliveries)
	}
}

func TestAFaultInTheLastSecond(t *testing.T) {
	w := &wire{reply: always(ms, gap{10*second + second/2, 13 * second})}
	c := brokenCell(t, w, brokenAt(500, 10*second, 9*second+second/2))
	h := c.Faults[0].Impact
	wantFor(t, "outage", h.Deliveries.ForNS, 2*second+second/2)
	if !h.Deliveries.Shown || h.Deliveries.Due < 248 || h.Deliveries.Due > 250 || h.RecoveredNS != nil || h.Lost != 0 {
		t.Errorf("%+v %+v", *h, *h.Deliveries)
	}
}

func TestASystemThatNeverComesBack(t *testing.T) {
	h := brokenCell(t, &wire{reply: always(ms, gap{6 * second, time.Hour})}, brokenAt(500, 20*second, 5*second)).Faults[0].Impact
	if !h.Deliveries.Shown || h.Deliveries.Over() || h.RecoveredNS != nil || h.Lost < 7498 || h.Lost > 7502 {
		t.Errorf("%+v %+v", *h, *h.Deliveries)
	}
	wantFor(t, "at least", h.Deliveries.ForNS, 15*second)
}

// What was silent before the fault is not the fault's: the time counts from it.
func TestAnOutageThatBeganBeforeTheFault(t *testing.T) {
	w := &wire{reply: always(ms, gap{5 * second, 12 * second})}
	h := brokenCell(t, w, brokenAt(500, 30*second, 5*second)).Faults[0].Impact
	wantFor(t, "outage", h.Deliveries.ForNS, 6*second)
	wantFor(t, "last", h.Deliveries.LastNS, 5*second)
	wantFor(t, "usual", h.Deliveries.UsualNS, 2*ms)
	if !h.Deliveries.Shown {
		t.Errorf("%+v", *h.Deliveries)
	}
}

// At 0.1 messages per second nothing comes for 10 s anyway.
func TestRareMessagesShowLongOutagesOnly(t *testing.T) {
	for _, tt := range []struct {
		silent gap
		shown  bool
	}{{gap{}, false}, {gap{201 * second, 209 * second}, false}, {gap{201 * second, 310 * second}, true}} {
		cell := brokenAt(0.1, 400*second, 202*second)
		cell.Settings.Timeout = 100 * second
		h := brokenCell(t, &wire{reply: always(ms, tt.silent)}, cell).Faults[0].Impact
		if h.Deliveries.Shown != tt.shown || h.BaseP99NS != nil {
			t.Errorf("%v: %+v, base %v", tt.silent, *h.Deliveries, h.BaseP99NS)
		}
	}
}

// One connection of 25 is cut: its outage is seen, and that the others had none.
func TestAnOutageOfOneConnection(t *testing.T) {
	whole := always(ms, gap{6 * second, 10 * second})
	w := &wire{reply: func(conn int, at time.Duration) time.Duration {
		if conn == 17 {
			return whole(conn, at)
		}
		return ms
	}}
	cell := brokenAt(500, 20*second, 5*second)
	cell.Shape.Connections = 25
	h := brokenCell(t, w, cell).Faults[0].Impact
	d := h.Deliveries
	wantFor(t, "outage", d.ForNS, 4*second)
	if d.Connections != 1 || d.WholeNS != 0 || d.Due < 79 || d.Due > 81 {
		t.Errorf("%+v", *d)
	}
}

// With many connections each is silent for longer than the outage is: all together are not.
func TestAnOutageThatOnlyAllTogetherShow(t *testing.T) {
	cell := brokenAt(500, 20*second, 5*second)
	cell.Shape.Connections = 5000
	d := brokenCell(t, &wire{reply: always(ms, gap{6 * second, 8 * second})}, cell).Faults[0].Impact.Deliveries
	wantFor(t, "outage", d.ForNS, 2*second)
	wantFor(t, "usual", d.UsualNS, 2*ms)
	if !d.Shown || d.Connections != 5000 || d.Due < 998 || d.Due > 1000 {
		t.Errorf("%+v", *d)
	}
}

// Poisson arrivals have long gaps: they are no outages, and an outage is found among them.
func TestOutagesOfRandomArrivals(t *testing.T) {
	for seed := range uint64(6) {
		for _, silent := range []gap{{}, {21 * second, 23 * second}} {
			cell := brokenAt(200, 60*second, 20*second)
			cell.Shape.Arrivals, cell.Settings.Seed, cell.Shape.Connections = schedule.Poisson, seed, 4
			d := brokenCell(t, &wire{reply: always(ms, silent)}, cell).Faults[0].Impact.Deliveries
			if d.Shown != (silent.To > 0) {
				t.Errorf("seed %d, %v: %+v", seed, silent, *d)
			}
		}
	}
}
