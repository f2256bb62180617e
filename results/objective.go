package results

import (
	"fmt"
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
	Inconclusive Outcome = "inconclusive" // the cell is invalid, or has too few messages above the percentile
)

// An SLO is an objective and its outcome.
type SLO struct {
	Objective plan.Objective `json:"objective"`
	Outcome   Outcome        `json:"outcome"`
	Text      string         `json:"text"` // what was measured, and why an outcome is inconclusive
}

// JudgeSLOs sets the outcomes of the objectives in the cell's plan. Call it after
// Judge: of an invalid cell every outcome is inconclusive.
func (c *Cell) JudgeSLOs() {
	c.SLOs = nil
	for _, o := range c.Plan.SLOs {
		s := SLO{Objective: o}
		s.Outcome, s.Text = c.satisfies(o)
		if c.Verdict == Invalid {
			s.Outcome, s.Text = Inconclusive, s.Text+"; the cell is invalid"
		}
		c.SLOs = append(c.SLOs, s)
	}
}

func (c *Cell) satisfies(o plan.Objective) (Outcome, string) {
	switch o.Metric {
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
	return percentileSatisfies(o, c.Series(o.Series))
}

// Series returns the distribution that an objective names: that of the service,
// of the lag, of what held up the sender, or else of the response.
func (c *Cell) Series(name string) Distribution {
	switch name {
	case "service":
		return c.Service
	case "lag":
		return c.Lag
	case "held":
		return c.Held
	}
	return c.Response
}

func percentileSatisfies(o plan.Objective, d Distribution) (Outcome, string) {
	row, _ := d.At(o.Percentile)
	value, known := row.Value()
	if !known {
		// Messages that are missing rank above every limit.
		return outcome(o, float64(1<<63)), "unknown: missing messages rank there"
	}
	text := value.String()
	if row.LowNS != nil {
		text += fmt.Sprintf(" (95 %%: %s)", row.interval())
	}
	if !row.Trusted {
		return Inconclusive, text + fmt.Sprintf("; only %d messages above it", row.SamplesAbove)
	}
	return outcome(o, float64(value)), text
}

// interval writes the row's 95 % confidence interval.
func (p Percentile) interval() string {
	high := "∞"
	if p.HighNS != nil {
		high = time.Duration(*p.HighNS).String()
	}
	return time.Duration(*p.LowNS).String() + "–" + high
}

func outcome(o plan.Objective, value float64) Outcome {
	if o.Holds(value) {
		return Passed
	}
	return Missed
}
