package results

import "github.com/brokerbench/brokerbench/plan"

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

// SeriesNames returns the names of the series whose percentiles are judged: response, service,
// and those of acknowledgements, if there are any.
func (c *Cell) SeriesNames() []string {
	if c.Ack == nil {
		return []string{"response", "service"}
	}
	return []string{"response", "service", "ack", "complete"}
}

// MissingOf returns how many due messages have no value in a series, and so rank above all
// values.
func (c *Cell) MissingOf(series string) int64 {
	switch {
	case series == "ack" && c.Ack != nil:
		return c.Ack.Missing
	case series == "complete" && c.Complete != nil:
		return c.Complete.Missing
	}
	return c.Ledger.Missing()
}

// Series returns the distribution with a name, such as an objective has: ack, complete,
// published, outward, back, service, lag or held, and for any other name the response. It is
// empty if the cell does not have it.
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

// orEmpty returns *d, or an empty distribution for nil.
func orEmpty(d *Distribution) Distribution {
	if d == nil {
		return Distribution{}
	}
	return *d
}
