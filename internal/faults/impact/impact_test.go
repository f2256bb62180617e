package impact

import (
	"math"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// A fault may have lost what was due before it was healed and before the next.
func TestLossesCountForAllThatMayHaveCausedThem(t *testing.T) {
	second := int64(time.Second)
	fault := func(began int64, healed *int64) results.Fault {
		return results.Fault{BeganNS: began * second, BrokenNS: began*second + 1, HealedNS: healed}
	}
	for name, tt := range map[string]struct {
		faults []results.Fault
		want   []time.Duration
	}{
		"the first is never healed":       {[]results.Fault{fault(10, nil), fault(30, new(31*second))}, []time.Duration{endless, endless}},
		"each is healed before the next":  {[]results.Fault{fault(10, new(15*second)), fault(30, nil)}, []time.Duration{30 * time.Second, endless}},
		"the first is healed in the next": {[]results.Fault{fault(10, new(35*second)), fault(30, nil)}, []time.Duration{35 * time.Second, endless}},
		"the second is healed first":      {[]results.Fault{fault(10, new(40*second)), fault(20, new(25*second)), fault(50, nil)}, []time.Duration{40 * time.Second, 50 * time.Second, endless}},
	} {
		for i, a := range new(recorder).spans(tt.faults, time.Minute) {
			if a.lossesTo != tt.want[i] {
				t.Errorf("%s: those of fault %d are due until %v, want %v", name, i+1, a.lossesTo, tt.want[i])
			}
		}
	}
}

// What a message takes while connections are made and caches filled says nothing of those that
// are on their way at a fault, unless nothing else does.
func TestASlowWarmupDoesNotMoveFaults(t *testing.T) {
	slow := func(warm, later time.Duration) func(int, time.Duration) time.Duration {
		return func(_ int, at time.Duration) time.Duration {
			if at < 500*ms {
				return warm
			}
			return later
		}
	}
	for name, c := range map[string]struct {
		reply       func(int, time.Duration) time.Duration
		fault, from time.Duration
	}{
		"a slow warm-up":          {slow(4*second, 20*ms), 10 * second, 11*second - 20*ms},
		"a fault at once":         {slow(300*ms, 20*ms), 100 * ms, 800 * ms},
		"nothing was done before": {slow(2*second, 10*second), 4 * second, 3 * second},
	} {
		cell := brokenAt(100, 30*second, c.fault)
		cell.Settings.Timeout = 20 * second
		wantFor(t, name, brokenCell(t, &wire{reply: c.reply}, cell).Faults[0].Impact.FromNS, c.from)
	}
}

// Between any two messages there is a silence: what begins with the last message before a fault
// is that fault's alone, whether something ends it or nothing.
func TestAnOutageIsNotThatOfTheFaultBefore(t *testing.T) {
	for _, until := range []time.Duration{14 * second, time.Hour} {
		w := &wire{reply: always(ms, gap{6 * second, 7 * second}, gap{11 * second, until})}
		c := brokenCell(t, w, brokenAt(500, 30*second, 5*second, 10*second))
		first, next := c.Faults[0].Impact.Deliveries, c.Faults[1].Impact.Deliveries
		wantFor(t, "the first", first.ForNS, second)
		if !first.Shown || !first.Over() || math.Abs(float64(first.Due-500)) > 2 {
			t.Errorf("%+v", *first)
		}
		if !next.Shown || next.For() < 3*second-5*ms || next.Over() != (until < time.Hour) {
			t.Errorf("%+v", *next)
		}
	}
}

// A silence over two faults is in both, each time from the fault on.
func TestFaultsThatOverlap(t *testing.T) {
	w := &wire{reply: always(ms, gap{6 * second, 12 * second})}
	c := brokenCell(t, w, brokenAt(500, 30*second, 5*second, 8*second))
	first, next := c.Faults[0].Impact, c.Faults[1].Impact
	wantFor(t, "first", first.Deliveries.ForNS, 6*second)
	wantFor(t, "second", next.Deliveries.ForNS, 3*second)
	wantFor(t, "the last before the second", next.Deliveries.LastNS, 6*second)
	if first.RecoveredNS != nil || next.RecoveredNS == nil {
		t.Errorf("p99 was back after %v and %v", first.RecoveredNS, next.RecoveredNS)
	}
	if first.ToNS != next.FromNS || first.Due+next.Due < 12_500 || first.Due+next.Due > 12_510 {
		t.Errorf("%+v\n%+v", *first, *next)
	}
}

func TestFaultsAtTheSameTimeHaveOneHarm(t *testing.T) {
	w := &wire{reply: always(ms, gap{6 * second, 8 * second})}
	c := brokenCell(t, w, brokenAt(500, 20*second, 5*second, 5*second))
	if c.Faults[0].Impact != nil || c.Faults[1].Impact == nil {
		t.Fatalf("%+v", c.Faults)
	}
	wantFor(t, "the second", c.Faults[1].Impact.Deliveries.ForNS, 2*second)
}

// Replies that were on their way when the fault began come after it: the outage counts from
// the last of them.
func TestRepliesOnTheirWay(t *testing.T) {
	w := &wire{reply: func(_ int, at time.Duration) time.Duration {
		if at < 6*second || at >= 9*second {
			return 200 * ms
		}
		return 9*second + 200*ms - at
	}}
	h := brokenCell(t, w, brokenAt(500, 20*second, 5*second)).Faults[0].Impact
	wantFor(t, "last", h.Deliveries.LastNS, 6*second+200*ms)
	wantFor(t, "outage", h.Deliveries.ForNS, 3*second)
	wantFor(t, "from", h.FromNS, 6*second-200*ms)
}
