package results

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/plan"
)

// outlasts judges an objective of the outages or recoveries of a cell: each of its faults must
// satisfy it. The worst of them is said.
func (c *Cell) outlasts(o plan.Objective, judge func(plan.Objective, *Harm) (Outcome, string)) (Outcome, string) {
	worst, text := Passed, ""
	made := 0
	for _, f := range c.Faults {
		if f.Harm == nil {
			continue
		}
		made++
		got, why := judge(o, f.Harm)
		if text == "" || got.graver(worst) {
			worst, text = got, f.Name()+": "+why
		}
	}
	switch {
	case made == 0:
		return Inconclusive, "no fault was made"
	case worst == Passed && c.unmade():
		return Inconclusive, text + "; not every fault was made"
	}
	return worst, text
}

// unmade tells whether a fault of the plan was not made.
func (c *Cell) unmade() bool {
	for _, f := range c.Faults {
		if !f.Done() {
			return true
		}
	}
	return false
}

// graver tells whether an outcome is worse than another.
func (o Outcome) graver(other Outcome) bool {
	rank := map[Outcome]int{Passed: 0, Inconclusive: 1, Missed: 2}
	return rank[o] > rank[other]
}

// outageWithin judges an objective of an outage.
func outageWithin(o plan.Objective, h *Harm) (Outcome, string) {
	out := h.Outage()
	switch {
	case out == nil:
		return Inconclusive, "nothing came before it, so that no outage can be seen"
	case !out.Shown && o.Holds(float64(out.ForNS)):
		return Passed, "none of more than " + words.Duration(out.For())
	case !out.Shown:
		return Inconclusive, fmt.Sprintf("messages come too rarely: nothing came for %s, and for %s before the fault", words.Duration(out.For()), words.Duration(time.Duration(out.UsualNS)))
	case !out.Over():
		return Missed, "not over at the end, after " + words.Duration(out.For())
	}
	return outcome(o, float64(out.ForNS)), words.Duration(out.For())
}

// recoveryWithin judges an objective of a recovery.
func recoveryWithin(o plan.Objective, h *Harm) (Outcome, string) {
	switch {
	case h.BaseP99NS == nil:
		return Inconclusive, "too few messages before the faults to know their p99"
	case h.RecoveredNS == nil:
		return Missed, fmt.Sprintf("p99 was not back at %s or less", words.Duration(time.Duration(*h.BaseP99NS)))
	}
	return outcome(o, float64(*h.RecoveredNS)), words.Duration(time.Duration(*h.RecoveredNS))
}
