package impact

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A stall before a fault does not say what is usual: the outage after the fault is shown, and no objective
// is passed that would be missed without the stall.
func TestAStallBeforeAFaultHidesNothing(t *testing.T) {
	for _, stall := range []time.Duration{0, 300 * ms, 1050 * ms} {
		cell := brokenAt(500, 30*second, 10*second)
		for _, text := range []string{"outage<1s", "recovery<3s", "recovery<10s"} {
			o, err := plan.ParseObjective(text)
			if err != nil {
				t.Fatal(err)
			}
			cell.SLOs = append(cell.SLOs, o)
		}
		c := brokenCell(t, &wire{reply: always(ms, gap{6 * second, 6*second + stall}, gap{11 * second, 16 * second})}, cell)
		h := c.Faults[0].Impact
		wantFor(t, "outage", h.Deliveries.ForNS, 5*second)
		wantFor(t, "usual gap", h.Deliveries.UsualNS, 2*ms)
		wantFor(t, "usual p99", *h.BaseP99NS, ms)
		wantFor(t, "recovery", *h.RecoveredNS, 5*second)
		if !h.Deliveries.Shown || h.Deliveries.Due < 2498 || (h.Disturbed != nil) != (stall > 0) {
			t.Errorf("stall of %v: %+v, disturbed %+v", stall, *h.Deliveries, h.Disturbed)
		}
		want := []results.Outcome{results.Missed, results.Missed, results.Passed}
		for i, s := range c.SLOs {
			if s.Outcome != want[i] {
				t.Errorf("stall of %v: %+v, want %s", stall, s, want[i])
			}
		}
	}
}

// Each fault has the p99 since the recovery from the fault before as its base.
func TestEachFaultHasABase(t *testing.T) {
	w := &wire{reply: func(_ int, at time.Duration) time.Duration {
		switch {
		case at < 11*second:
			return 2 * ms
		case at < 13*second:
			return 13*second - at
		case at > 31*second && at < 32*second:
			return 100 * ms
		case at > 15*second:
			return 3 * ms
		}
		return 3500 * time.Microsecond
	}}
	c := brokenCell(t, w, brokenAt(500, 40*second, 10*second, 30*second))
	for i, want := range []int64{2e6, 3e6} {
		if got := *c.Faults[i].Impact.BaseP99NS; got < want || got > want*11/10 {
			t.Errorf("base of fault %d: %v, want %v", i+1, time.Duration(got), time.Duration(want))
		}
	}
	wantFor(t, "recovery", *c.Faults[1].Impact.RecoveredNS, second)
}

// A message due shortly before deliveries are back is quick enough; p99 is back with them nevertheless.
func TestP99IsNotBackBeforeDeliveries(t *testing.T) {
	w := &wire{reply: always(700*ms, gap{6 * second, 11 * second})}
	h := brokenCell(t, w, brokenAt(500, 30*second, 5*second)).Faults[0].Impact
	back := 6*second + time.Duration(*h.RecoveredNS)
	if back < time.Duration(*h.Deliveries.FirstNS) {
		t.Errorf("p99 was back at %v, deliveries at %v", back, time.Duration(*h.Deliveries.FirstNS))
	}
}

// Nothing comes after a kill shortly after the last message: no figure says that there is no outage.
func TestAKillAfterTheLastMessage(t *testing.T) {
	const rest = 131 * ms
	for name, cell := range map[string]plan.Cell{
		"at the end":       brokenAt(5, 20*second, 19*second+800*ms+rest),
		"before the next":  brokenAt(500, 20*second, 10*second, 10*second+rest),
		"of rare messages": brokenAt(1, 20*second, 19*second+rest),
	} {
		w := &wire{reply: always(ms)}
		if name == "before the next" {
			w.reply = always(ms, gap{4 * second, 4*second + 40*ms}, gap{5 * second, 5*second + 40*ms}, gap{6 * second, 6*second + 40*ms}, gap{7 * second, 7*second + 40*ms}, gap{11 * second, 15 * second})
		}
		d := brokenCell(t, w, cell).Faults[0].Impact.Deliveries
		if d.Shown || !d.Unknown {
			t.Errorf("%s: %+v", name, *d)
		}
	}
	// One message came after the fault: it shows that nothing was out.
	if d := brokenCell(t, &wire{reply: always(ms)}, brokenAt(5, 20*second, 19*second+700*ms)).Faults[0].Impact.Deliveries; d.Unknown {
		t.Errorf("%+v", *d)
	}
}
