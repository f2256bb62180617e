package judge

import (
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// outlasts judges an objective of the outages or recoveries of a cell: each fault must satisfy
// it. The text names the worst fault.
func outlasts(c *results.Cell, o plan.Objective, judge func(plan.Objective, *results.Impact) (results.Outcome, string)) (results.Outcome, string) {
	worst, text := results.Passed, ""
	made := 0
	for _, f := range c.Faults {
		if f.Impact == nil {
			continue
		}
		made++
		got, why := judge(o, f.Impact)
		if text == "" || graver(got, worst) {
			worst, text = got, f.Name()+": "+why
		}
	}
	switch {
	case made == 0:
		return results.Inconclusive, "no fault was made"
	case worst == results.Passed && slices.ContainsFunc(c.Faults, func(f results.Fault) bool { return !f.Done() }):
		return results.Inconclusive, text + "; not every fault was made"
	}
	return worst, text
}

func graver(o, other results.Outcome) bool {
	order := []results.Outcome{results.Passed, results.Inconclusive, results.Missed}
	return slices.Index(order, o) > slices.Index(order, other)
}

func outageWithin(o plan.Objective, h *results.Impact) (results.Outcome, string) {
	out := h.Outage()
	switch {
	case out == nil:
		return results.Inconclusive, "nothing came before it, so that no outage can be seen"
	case !out.Shown && o.Holds(float64(out.ForNS)):
		return results.Passed, "none of more than " + words.Duration(out.For())
	case !out.Shown:
		return results.Inconclusive, fmt.Sprintf("messages come too rarely: nothing came for %s, and for %s before the fault", words.Duration(out.For()), words.Duration(time.Duration(out.UsualNS)))
	case !out.Over():
		return results.Missed, "not over at the end, after " + words.Duration(out.For())
	}
	return outcome(o, float64(out.ForNS)), words.Duration(out.For())
}

func recoveryWithin(o plan.Objective, h *results.Impact) (results.Outcome, string) {
	switch {
	case h.BaseP99NS == nil:
		return results.Inconclusive, "too few messages before the faults to know their p99"
	case h.RecoveredNS == nil:
		return results.Missed, fmt.Sprintf("p99 was not back at %s or less", words.Duration(time.Duration(*h.BaseP99NS)))
	}
	return outcome(o, float64(*h.RecoveredNS)), words.Duration(time.Duration(*h.RecoveredNS))
}
