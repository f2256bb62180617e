package impact

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// One message that is lost at the very end is lost, and no outage.
func TestALostLastMessageIsNoOutage(t *testing.T) {
	h := brokenCell(t, &wire{reply: func(_ int, at time.Duration) time.Duration {
		if at >= 20*second+998*ms {
			return -1
		}
		return ms
	}}, brokenAt(500, 20*second, 5*second)).Faults[0].Impact
	if h.Deliveries.Shown || h.Lost != 1 {
		t.Errorf("%+v %+v", *h, *h.Deliveries)
	}
}

// A loss from before both faults is one of theirs; one from after the first is healed is not the first's.
func TestALossCountsForAllFaultsThatMayHaveCausedIt(t *testing.T) {
	w := &wire{
		reply: always(ms), ack: always(ms),
		// Of the warm-up, just before the first fault, just before the second, and after all.
		forgets: func(at time.Duration) bool {
			return at < 4*ms || at > 5900*ms && at < 6*second || at > 10900*ms && at < 11*second || at > 18*second
		},
	}
	cell := brokenAt(500, 20*second, 5*second, 10*second)
	cell.Settings.Audit = true
	c := brokenCell(t, w, cell)
	first, next := c.Faults[0].Impact, c.Faults[1].Impact
	if *first.AckedLost != 100 || first.AckedLostOneOf != 100 || *next.AckedLost != c.Audit.Missing || next.AckedLostOneOf != 100 {
		t.Errorf("%d, of which %d may be the other's, and %d, %d, of %d", *first.AckedLost, first.AckedLostOneOf, *next.AckedLost, next.AckedLostOneOf, c.Audit.Missing)
	}
	if c.Verdict != results.Suspect {
		t.Errorf("%s: what was acknowledged and is lost is not excused", c.Verdict)
	}
}

func TestFailedDuplicateAndOutOfOrder(t *testing.T) {
	in := func(from, to time.Duration) func(time.Duration) bool {
		return func(at time.Duration) bool { return at > from && at < to }
	}
	w := &wire{
		refuses: in(7*second, 8*second), twice: in(6*second+second/2, 7*second),
		reply: func(_ int, at time.Duration) time.Duration {
			if in(9*second, 9*second+20*ms)(at) {
				return 50 * ms
			}
			return ms
		},
	}
	h := brokenCell(t, w, brokenAt(500, 20*second, 5*second)).Faults[0].Impact
	if h.Failed < 498 || h.Failed > 500 || h.Duplicates < 248 || h.Duplicates > 250 || h.OutOfOrder < 8 || h.OutOfOrder > 10 {
		t.Errorf("%+v", *h)
	}
}

// What comes again counts once, also in the step in which the next fault begins.
func TestDuplicatesCountForOneFault(t *testing.T) {
	w := &wire{reply: always(ms), twice: func(at time.Duration) bool { return at > 6*second+second/2 && at < 7*second }}
	c := brokenCell(t, w, brokenAt(500, 20*second, 5*second, 5*second+3*second/4+20*ms))
	if first, next := c.Faults[0].Impact.Duplicates, c.Faults[1].Impact.Duplicates; first+next != c.Strays.Duplicate || first < 110 || next < 100 {
		t.Errorf("%d and %d of %d", first, next, c.Strays.Duplicate)
	}
}
