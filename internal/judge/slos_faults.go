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
func outlasts(c *results.Cell, o plan.Objective, judge func(plan.Objective, results.Fault) (results.Outcome, string)) (results.Outcome, string) {
	var worst results.Outcome
	text := ""
	for _, f := range c.Faults {
		if f.Impact == nil {
			continue
		}
		if got, why := judge(o, f); text == "" || graver(got, worst) {
			worst, text = got, f.Name()+": "+why
		}
	}
	if text == "" {
		return results.Inconclusive, "no fault was made"
	}
	return worst, text
}

// unmade says which fault of the plan did not happen while messages were due; "" if all did.
func unmade(c *results.Cell) string {
	for _, f := range c.Faults {
		switch end := c.Plan.Settings.Warmup + c.Plan.Settings.Duration; {
		case !f.Done():
			return f.Name() + " was not made: " + f.Error
		case f.Impact == nil && time.Duration(f.BeganNS) >= end:
			return f.Name() + " began after the last message was due"
		}
	}
	return ""
}

func graver(o, other results.Outcome) bool {
	order := []results.Outcome{results.Passed, results.Inconclusive, results.Missed}
	return slices.Index(order, o) > slices.Index(order, other)
}

// outageWithin judges the outages of acknowledgements and of deliveries: the graver outcome counts, and of
// two alike that of the worse outage.
func outageWithin(o plan.Objective, f results.Fault) (results.Outcome, string) {
	out := f.Impact.Outage()
	if out == nil {
		return results.Inconclusive, "nothing came before it, so that no outage can be seen"
	}
	got, text := lasted(o, out)
	for _, other := range []*results.Outage{f.Impact.Acks, f.Impact.Deliveries} {
		if other == nil {
			continue
		}
		if worse, why := lasted(o, other); graver(worse, got) {
			got, text = worse, why
		}
	}
	return got, text
}

// lasted judges one outage.
func lasted(o plan.Objective, out *results.Outage) (results.Outcome, string) {
	switch {
	case out.Unknown:
		return results.Inconclusive, "nothing came after it, and too few messages were due to show an outage"
	case !out.Shown && o.Holds(float64(out.ForNS)):
		return results.Passed, "none of more than " + words.Duration(out.For())
	case !out.Shown:
		return results.Inconclusive, fmt.Sprintf("messages come too rarely: nothing came for %s, and usually for %s before the fault", words.Duration(out.For()), words.Duration(time.Duration(out.UsualNS)))
	case !out.Over():
		return unended(o, out.ForNS), "not over at the end, after " + words.Duration(out.For())
	}
	return outcome(o, float64(out.ForNS)), words.Duration(out.For())
}

// recoveryWithin judges how long p99 took to be back. If the target was disturbed before the fault too, what
// is missed must be missed by p99 of all messages as well.
func recoveryWithin(o plan.Objective, f results.Fault) (results.Outcome, string) {
	h := f.Impact
	if h.BaseP99NS == nil {
		return results.Inconclusive, "too few messages before the faults to know their p99"
	}
	got, text := recoveredWithin(o, f, *h.BaseP99NS, h.RecoveredNS)
	if d := h.Disturbed; d != nil && got == results.Missed {
		if byAll, why := recoveredWithin(o, f, d.P99NS, d.RecoveredNS); byAll != results.Missed {
			return results.Inconclusive, fmt.Sprintf("%s; something made messages slow before it too, and by p99 of all of them: %s", text, why)
		}
	}
	return got, text
}

func recoveredWithin(o plan.Objective, f results.Fault, base int64, recovered *int64) (results.Outcome, string) {
	if recovered == nil {
		known := max(f.Impact.ToNS-f.BeganNS, 0)
		return unended(o, known), fmt.Sprintf("p99 was not back at %s or less within %s, until the next fault or the end", words.Duration(time.Duration(base)), words.Duration(time.Duration(known)))
	}
	return outcome(o, float64(*recovered)), words.Duration(time.Duration(*recovered))
}

// unended judges a time that had not ended when the next fault began, or the cell ended.
func unended(o plan.Objective, atLeast int64) results.Outcome {
	if o.Holds(float64(atLeast)) {
		return results.Inconclusive
	}
	return results.Missed
}
