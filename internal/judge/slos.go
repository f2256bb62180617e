package judge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// SLOs sets the outcomes of the objectives in the cell's plan. An objective is
// passed if the whole 95 % interval is inside its limit, and pauses that did not come in the
// window would not break it; it is missed if the whole interval is outside. With
// [plan.Settings.SLOObserved] the measured value alone decides. Call it after
// [results.Cell.Judge]: an invalid cell passes no objective.
func SLOs(c *results.Cell) { slos(c, "measure for longer") }

// slos sets the outcomes of a cell, or of repeats together. The remedy narrows an interval.
func slos(c *results.Cell, remedy string) {
	for i := range c.Sizes {
		one := c.BySize()[i]
		slos(one, remedy)
		c.Sizes[i].SLOs = one.SLOs
	}
	c.SLOs = nil
	objectives := c.Plan.SLOs
	if c.Audit != nil && !slices.Contains(objectives, plan.NothingLost()) {
		objectives = append(slices.Clone(objectives), plan.NothingLost()) // for every target with a store
	}
	for _, o := range objectives {
		s := results.SLO{Objective: o}
		s.Outcome, s.Text = satisfies(c, o, remedy)
		if c.Ledger.Due == 0 {
			s.Outcome, s.Text = results.Inconclusive, "no message was due"
		}
		if c.Verdict == results.Invalid && o != plan.NothingLost() {
			s = undecided(s, "the cell is invalid")
		}
		c.SLOs = append(c.SLOs, undecided(s, unmade(c)))
	}
}

// eachSize judges an objective of a percentile for each of several sizes: all must satisfy it. The text
// names the worst.
func eachSize(c *results.Cell, o plan.Objective, remedy string) (worst results.Outcome, text string) {
	for _, one := range c.BySize() {
		if got, why := satisfies(one, o, remedy); text == "" || graver(got, worst) {
			worst, text = got, one.Plan.Shape.SizeText()+": "+why
		}
	}
	return worst, text
}

// undecided returns the outcome of an objective that is not passed for a reason; "" is none.
func undecided(s results.SLO, why string) results.SLO {
	if why != "" && s.Outcome == results.Passed {
		s.Outcome, s.Text = results.Inconclusive, s.Text+"; "+why
	}
	return s
}

func satisfies(c *results.Cell, o plan.Objective, remedy string) (results.Outcome, string) {
	switch o.Metric {
	case "lost-acked":
		return keeps(c.Audit)
	case "outage":
		return outlasts(c, o, outageWithin)
	case "recovery":
		return outlasts(c, o, recoveryWithin)
	case "loss":
		loss := float64(c.Ledger.Missing()) / float64(max(c.Ledger.Due, 1))
		return outcome(o, loss), fmt.Sprintf("%.4g %%", 100*loss)
	case "rate":
		if o.PerSecond {
			return outcome(o, c.ReachedPerS), words.Rate(c.ReachedPerS) + "/s"
		}
		part := c.ReachedPerS / max(c.OfferedPerS, 1e-9)
		return outcome(o, part), fmt.Sprintf("%.4g %%", 100*part)
	}
	if len(c.Sizes) > 0 && slices.Contains(results.SizedSeries(), o.Series) {
		return eachSize(c, o, remedy)
	}
	if (o.Series == "ack" || o.Series == "complete") && c.Ack == nil {
		return results.Inconclusive, "the target acknowledges nothing"
	}
	d := c.Series(o.Series)
	u, _, ofUser := plan.UserOf(o.Series)
	if ofUser && d.Count+d.Missing == 0 {
		return results.Inconclusive, fmt.Sprintf("no user had %d messages in the window", u.Messages)
	}
	row, _ := d.At(o.Percentile)
	if v, known := row.Value(); known && c.Plan.Settings.SLOObserved {
		return outcome(o, float64(v)), words.Duration(v) + " (by the value alone)"
	}
	outcome, text := percentileSatisfies(o, row, remedy)
	if outcome == results.Passed && row.LowNS != nil {
		if longer := excludes(c, o); longer > 0 {
			return results.Inconclusive, fmt.Sprintf("%s; pauses of %v that did not come in %v are not excluded: measure for %v in all",
				text, results.UnseenPause, c.Plan.Settings.Duration, longer)
		}
	}
	return outcome, text
}

// excludes returns how long a cell must be to exclude that pauses which did not come in its window break an
// upper limit of a percentile; 0 if this one does.
func excludes(c *results.Cell, o plan.Objective) time.Duration {
	u, sum, ofUser := plan.UserOf(o.Series)
	longest, limit := c.Series(o.Series).MaxNS, time.Duration(o.Limit)
	if sum {
		longest = c.Series(u.Series(false)).MaxNS
		if limit < time.Duration(u.Messages)*results.UnseenPause { // one pause adds to the times of all messages due in it
			limit = 0
		}
	}
	share, window := 1-o.Percentile/100, c.Plan.Settings.Duration
	if !strings.HasPrefix(o.Operator, "<") || time.Duration(longest) >= results.UnseenPause || share <= 0 {
		return 0
	}
	if ofUser && limit < results.UnseenPause { // a pause hits those who are under way, too
		limit -= c.UserTakes(u)
	}
	unseen := results.Unseen(window, limit)
	if unseen <= share {
		return 0
	}
	return time.Duration(unseen/share*float64(window)).Truncate(time.Second) + time.Second
}

// percentileSatisfies judges a percentile by its interval, but the times of the generator and the
// maximum, for which there is none, by the value of this run.
func percentileSatisfies(o plan.Objective, row results.Percentile, remedy string) (results.Outcome, string) {
	value, known := row.Value()
	happened := o.Series == "lag" || o.Series == "held" || o.Percentile == 100
	switch {
	case !known && (happened || row.LowNS == nil):
		// Messages that are missing rank above every limit.
		return outcome(o, unlimited), "unknown: missing messages rank there"
	case happened:
		return outcome(o, float64(value)), words.Duration(value)
	case row.LowNS == nil && row.Events == 0:
		return results.Inconclusive, words.Duration(value) + "; the window is too short for an interval"
	}
	text, low, high := "unknown", 0., unlimited
	if known {
		text = words.Duration(value)
	}
	if row.LowNS != nil {
		low = float64(*row.LowNS)
	}
	if row.HighNS != nil {
		high = float64(*row.HighNS)
	}
	text += fmt.Sprintf(" (95 %%: %s)", interval(row))
	switch {
	case o.Holds(low) && o.Holds(high):
		return results.Passed, text
	case !o.Holds(low) && !o.Holds(high):
		return results.Missed, text
	}
	return results.Inconclusive, text + "; the limit is inside the interval: " + remedy
}

// unlimited stands for an unknown upper bound, in nanoseconds.
const unlimited = float64(1 << 63)

func interval(p results.Percentile) string {
	low, high := "0", "∞"
	if p.LowNS != nil {
		low = words.Duration(time.Duration(*p.LowNS))
	}
	if p.HighNS != nil {
		high = words.Duration(time.Duration(*p.HighNS))
	}
	return low + "–" + high
}

func outcome(o plan.Objective, value float64) results.Outcome {
	if o.Holds(value) {
		return results.Passed
	}
	return results.Missed
}

// keeps judges whether all acknowledged messages are in the store.
func keeps(a *results.Audit) (results.Outcome, string) {
	switch {
	case a == nil:
		return results.Inconclusive, "the target's store was not read"
	case a.Error != "":
		return results.Inconclusive, "the content of the target's store is unknown: " + a.Error
	case a.Missing > 0:
		return results.Missed, a.Loss()
	case a.Acked == 0:
		return results.Inconclusive, "nothing was acknowledged"
	case a.Discarded > 0:
		return results.Inconclusive, a.Undecided()
	}
	return results.Passed, fmt.Sprintf("all %d that were acknowledged %s", a.Acked, whereKept(a))
}

func whereKept(a *results.Audit) string {
	switch {
	case !a.Taken:
		return "are in the store"
	case a.Kept == 0:
		return "were delivered"
	}
	return fmt.Sprintf("were delivered or kept: %d are in the store", a.Kept)
}
