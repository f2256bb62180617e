package results

import (
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/plan"
)

// An Outcome says whether a cell satisfies an objective.
type Outcome string

// The outcomes.
const (
	Passed       Outcome = "passed"
	Missed       Outcome = "missed"
	Inconclusive Outcome = "inconclusive" // the limit is inside the 95 % interval, or there is none; or the cell is invalid
)

// An SLO is an objective and its outcome.
type SLO struct {
	Objective plan.Objective `json:"objective"`
	Outcome   Outcome        `json:"outcome"`
	Text      string         `json:"text"` // what was measured, and why an outcome is inconclusive
}

// JudgeSLOs sets the outcomes of the objectives in the cell's plan. An objective is
// passed if the whole 95 % interval is inside its limit, and missed if the whole of it is
// outside. Call it after Judge: an invalid cell passes nothing.
func (c *Cell) JudgeSLOs() {
	c.SLOs = nil
	objectives := c.Plan.SLOs
	if c.Audit != nil && !slices.Contains(objectives, plan.NothingLost()) {
		objectives = append(slices.Clone(objectives), plan.NothingLost()) // of every target that keeps messages
	}
	for _, o := range objectives {
		s := SLO{Objective: o}
		s.Outcome, s.Text = c.satisfies(o)
		if c.Ledger.Due == 0 {
			s.Outcome, s.Text = Inconclusive, "no message was due"
		}
		if c.Verdict == Invalid && s.Outcome == Passed && o != plan.NothingLost() {
			s.Outcome, s.Text = Inconclusive, s.Text+"; the cell is invalid"
		}
		c.SLOs = append(c.SLOs, s)
	}
}

func (c *Cell) satisfies(o plan.Objective) (Outcome, string) {
	switch o.Metric {
	case "lost-acked":
		return c.Audit.keeps()
	case "outage":
		return c.outlasts(o, outageWithin)
	case "recovery":
		return c.outlasts(o, recoveryWithin)
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
	if (o.Series == "ack" || o.Series == "complete") && c.Ack == nil {
		return Inconclusive, "the target acknowledges nothing"
	}
	d := c.Series(o.Series)
	if o.Series == "lag" || o.Series == "held" || o.Percentile == 100 {
		return happened(o, d)
	}
	return percentileSatisfies(o, d)
}

// SeriesNames returns the names of the series whose percentiles may be of use: response,
// service, and those of acknowledgements, if there are any.
func (c *Cell) SeriesNames() []string {
	if c.Ack == nil {
		return []string{"response", "service"}
	}
	return []string{"response", "service", "ack", "complete"}
}

// MissingOf returns how many messages that were due have no value in a series, and so rank
// above all that have.
func (c *Cell) MissingOf(series string) int64 {
	switch {
	case series == "ack" && c.Ack != nil:
		return c.Ack.Missing
	case series == "complete" && c.Complete != nil:
		return c.Complete.Missing
	}
	return c.Ledger.Missing()
}

// Series returns the distribution of a tag, such as an objective names: that of the service,
// of the acknowledgements, of what is complete, of the lag, of what held up the sender, of
// when messages were on the socket, of the way to the echo and back, or else of the response. What the cell does not have is empty.
func (c *Cell) Series(name string) Distribution {
	switch name {
	case "ack":
		return orEmpty(c.Ack)
	case "complete":
		return orEmpty(c.Complete)
	case "published":
		return orEmpty(c.Published)
	case "outward":
		return orEmpty(c.Outward)
	case "back":
		return orEmpty(c.Back)
	case "service":
		return c.Service
	case "lag":
		return c.Lag
	case "held":
		return c.Held
	}
	return c.Response
}

// orEmpty returns a distribution that a cell may not have.
func orEmpty(d *Distribution) Distribution {
	if d == nil {
		return Distribution{}
	}
	return *d
}

// happened judges what happened in this run, about which nothing is inferred: what the
// generator did, and the maximum, as nothing bounds what did not happen.
func happened(o plan.Objective, d Distribution) (Outcome, string) {
	row, _ := d.At(o.Percentile)
	value, known := row.Value()
	if !known {
		return outcome(o, unlimited), "unknown: missing messages rank there"
	}
	return outcome(o, float64(value)), words.Duration(value)
}

func percentileSatisfies(o plan.Objective, d Distribution) (Outcome, string) {
	row, _ := d.At(o.Percentile)
	value, known := row.Value()
	switch {
	case !known && row.LowNS == nil:
		// Messages that are missing rank above every limit.
		return outcome(o, unlimited), "unknown: missing messages rank there"
	case row.LowNS == nil:
		return Inconclusive, words.Duration(value) + "; the window is too short for an interval"
	}
	text, high := "unknown", unlimited
	if known {
		text = words.Duration(value)
	}
	if row.HighNS != nil {
		high = float64(*row.HighNS)
	}
	text += fmt.Sprintf(" (95 %%: %s)", row.interval())
	low := float64(*row.LowNS)
	switch {
	case o.Holds(low) && o.Holds(high):
		return Passed, text
	case !o.Holds(low) && !o.Holds(high):
		return Missed, text
	}
	return Inconclusive, text + "; the limit is inside the interval: measure for longer"
}

// unlimited stands for a bound that is not known from above, in nanoseconds.
const unlimited = float64(1 << 63)

// interval writes the row's 95 % confidence interval.
func (p Percentile) interval() string {
	high := "∞"
	if p.HighNS != nil {
		high = words.Duration(time.Duration(*p.HighNS))
	}
	return words.Duration(time.Duration(*p.LowNS)) + "–" + high
}

func outcome(o plan.Objective, value float64) Outcome {
	if o.Holds(value) {
		return Passed
	}
	return Missed
}
