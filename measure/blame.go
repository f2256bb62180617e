package measure

import (
	"fmt"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A Fault says whose limit it is that a cell missed an objective.
type Fault struct {
	Culprit Culprit
	Sure    bool   // repeating the cell would not say anything else
	Reason  string // "" if there is nothing to add to the value that was measured
}

// Kept tells whether a cell keeps an objective: it passed, and the cell did not
// fall behind its rate all the time. An objective of the rate itself only has to
// pass.
func Kept(c *results.Cell, s results.SLO) bool {
	return s.Outcome == results.Passed && (s.Objective.Metric == "rate" || !fellBehind(c))
}

// Blame says whose limit it is that a cell does not keep an objective. It is the
// client's if a TCP echo in place of the target does no better (the cell's floor),
// if this process used up its cores, or if half of the response or more is the
// generator's own lag.
//
// Lag does not tell whose limit it is if the cell fell behind its rate, since an
// overloaded target holds up the sender. Then the client is the limit only if the
// sender was busy, and what it sent was answered soon.
func Blame(c *results.Cell, s results.SLO) Fault {
	if why := echoMisses(c, s.Objective); why != "" {
		return Fault{Culprit: Client, Reason: why}
	}
	if f, found := faultOf(c, results.CodeProcessCPU); found {
		return f
	}
	if fellBehind(c) {
		return blameOverload(c)
	}
	if why := lagMisses(c, s.Objective); why != "" {
		return Fault{Culprit: Client, Reason: why}
	}
	if f, found := blameMachine(c, s.Objective); found {
		return f
	}
	if s.Outcome == results.Missed {
		return Fault{Culprit: Target, Reason: withoutCores(c, "")}
	}
	if f, found := faultOf(c, results.CodeMissing); found && c.Verdict == results.Invalid {
		return f
	}
	return Fault{Culprit: Nobody, Reason: s.Text}
}

// faultOf blames who causes a problem of the cell, according to the rules.
func faultOf(c *results.Cell, code results.Code) (f Fault, found bool) {
	p, found := c.Problem(code)
	for _, r := range (surroundings{}).rules() {
		if r.code == code {
			f = Fault{Culprit: r.whose, Reason: p.Text}
		}
	}
	return f, found
}

// echoMisses says why this client misses the objective against a TCP echo, too.
// It returns "" if it does not, or if that is not known.
func echoMisses(c *results.Cell, o plan.Objective) string {
	if c.Floor == nil {
		return ""
	}
	echo := c.Floor.Echo
	if !keepsUp(echo.ReachedPerS, float64(c.Plan.Shape.Rate)) && waitsGrew(echo.Response) {
		return reachedOnly(echo)
	}
	row, _ := echo.Response.At(o.Percentile)
	value, known := row.Value()
	if o.Series == "response" && known && row.Trusted && o.Percentile < 100 && !o.Holds(float64(value)) {
		return fmt.Sprintf("a TCP echo in place of the target has p%v %s", o.Percentile, words.Duration(value))
	}
	return ""
}

// lagMisses says by how much the generator was late, or "" if its lag does not
// make the cell miss the objective.
func lagMisses(c *results.Cell, o plan.Objective) string {
	if o.Series != "response" || o.Percentile >= 100 {
		return ""
	}
	order, lag := lagOrder(c, o.Percentile)
	if order < 0 {
		return ""
	}
	return fmt.Sprintf("the generator was late: lag p%v is %s", o.Percentile, words.Duration(lag))
}

// blameMachine looks for what else on this machine explains a missed percentile.
func blameMachine(c *results.Cell, o plan.Objective) (f Fault, found bool) {
	if o.Metric != "" {
		return f, false
	}
	if c.Hiccup != nil {
		hiccup, _ := value(*c.Hiccup, o.Percentile)
		if response, known := value(c.Response, o.Percentile); known && stoodStill(hiccup, response) {
			return Fault{Culprit: Machine, Reason: fmt.Sprintf("this process stood still: hiccup p%v is %s", o.Percentile, words.Duration(hiccup))}, true
		}
	}
	if o.Percentile < tailPercentile {
		return f, false
	}
	if f, found = faultOf(c, results.CodeSteal); found {
		return f, true
	}
	return faultOf(c, results.CodeThrottled)
}
