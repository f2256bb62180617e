package results

import (
	"slices"

	"github.com/brokerbench/brokerbench/plan"
)

// A Verdict says whether a cell as a whole is as planned. Whether one of its numbers may be
// used is the [Use] of that percentile.
type Verdict string

// The verdicts, from good to bad.
const (
	Valid   Verdict = "valid"   // all due messages were done, at a steady rate
	Suspect Verdict = "suspect" // the cell is not quite as planned: messages are missing, or the target was not steady
	Invalid Verdict = "invalid" // a number that the plan asks for is missing or wrong
)

// Worse reports whether v is worse than other.
func (v Verdict) Worse(other Verdict) bool {
	order := []Verdict{Invalid, Suspect, Valid}
	return slices.Index(order, v) < slices.Index(order, other)
}

// A Problem is one reason to doubt a cell, or some of its numbers.
type Problem struct {
	Code     Code    `json:"code"`
	Severity Verdict `json:"severity"` // the verdict that it gives the cell; valid: it does not affect the verdict
	Limits   []Limit `json:"limits,omitempty"`
	Text     string  `json:"text"`
}

// Reach returns how many percentiles of the response a problem limits.
func (p Problem) Reach() (n int) {
	for _, l := range p.Limits {
		if l.Series == "response" {
			n += len(l.Percentiles)
		}
	}
	return n
}

// Judge sets the cell's problems, the gravest first, its verdict, which is the gravest
// severity, and the use of each percentile of response and service.
func (c *Cell) Judge(problems []Problem) {
	c.Problems, c.Verdict = nil, Valid
	for _, severity := range []Verdict{Invalid, Suspect, Valid} {
		for _, p := range problems {
			if p.Severity == severity {
				c.Problems = append(c.Problems, p)
			}
		}
	}
	if len(c.Problems) > 0 {
		c.Verdict = c.Problems[0].Severity
	}
	for _, series := range c.SeriesNames() {
		c.at(series).judge(series, problems)
		for i := range c.Sizes {
			c.at(OfSize(series, i)).judge(series, problems)
		}
	}
}

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
	Text      string         `json:"text"` // the measured value, and why an outcome is inconclusive
}
