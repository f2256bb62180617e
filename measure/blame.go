package measure

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A Culprit is who makes a cell miss an objective.
type Culprit string

// The culprits.
const (
	Nobody  Culprit = "nobody"  // nobody that is known, or the plan itself
	Target  Culprit = "target"  // the broker
	Client  Culprit = "client"  // this process: the tool and its client library
	Machine Culprit = "machine" // what else runs on this machine, or shares it
)

// A Fault says whose limit it is that a cell missed an objective.
type Fault struct {
	Culprit Culprit
	Sure    bool   // repeating the cell would not change the answer
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
func Blame(c *results.Cell, s results.SLO) Fault {
	o := s.Objective
	return cmp.Or( // the first that says something
		blameFloor(c, o), blameFor(c, results.CodeProcessCPU, Client), blameOverload(c), blameLag(c, o), blameMachine(c, o),
		blameTarget(c, s), Fault{Culprit: Nobody, Reason: s.Text},
	)
}

// blameFor blames a culprit if the cell has a problem.
func blameFor(c *results.Cell, code results.Code, culprit Culprit) Fault {
	if p, found := c.Problem(code); found {
		return Fault{Culprit: culprit, Reason: p.Text}
	}
	return Fault{}
}

// blameFloor blames the client if it misses the objective against a TCP echo, too.
func blameFloor(c *results.Cell, o plan.Objective) Fault {
	if c.Floor == nil {
		return Fault{}
	}
	echo := c.Floor.Echo
	if !keepsUp(echo.ReachedPerS, float64(c.Plan.Shape.Rate)) && waitsGrew(echo.Response) {
		return Fault{Culprit: Client, Reason: reachedOnly(echo)}
	}
	row, _ := echo.Response.At(o.Percentile)
	value, known := row.Value()
	if o.Series != "response" || !known || !row.Trusted || o.Percentile == 100 || o.Holds(float64(value)) {
		return Fault{}
	}
	return Fault{Culprit: Client, Reason: fmt.Sprintf("a TCP echo in place of the target has p%v %s", o.Percentile, words.Duration(value))}
}

// blameOverload judges a cell that fell behind its rate all the time. It is sure of
// an overload that makes the cell invalid.
func blameOverload(c *results.Cell) Fault {
	if !fellBehind(c) {
		return Fault{}
	}
	p, _ := c.Problem(results.CodeRate)
	return cmp.Or(blameSender(c), Fault{
		Culprit: Target, Sure: p.Severity == results.Invalid,
		Reason: withoutCores(c, fmt.Sprintf("reached %s/s", words.Rate(c.ReachedPerS))),
	})
}

// blameSender blames the client if messages that were due waited for the sender,
// and what it sent was answered soon. A target that takes no more messages holds up
// the sender, too. But then what is in the target's buffers takes long, and the
// sender, which waits, uses no core.
func blameSender(c *results.Cell) Fault {
	order, lag := lagOrder(c, 50)
	service, answered := value(c.Service, 50)
	if order < 0 || !answered || float64(service) > answeredSoon*float64(lag) {
		return Fault{}
	}
	senders := max(c.Plan.Settings.Senders, 1)
	if c.Usage != nil && c.Usage.Process.CPUCores < processBusy*float64(senders) {
		return Fault{}
	}
	return Fault{Culprit: Client, Reason: fmt.Sprintf("the generator sent late, reached %s/s: lag p50 is %s, service p50 %s",
		words.Rate(c.ReachedPerS), words.Duration(lag), words.Duration(service))}
}

// blameLag blames the client if it sent late. Of a cell that fell behind its rate
// this says nothing, since an overloaded target holds up the sender.
func blameLag(c *results.Cell, o plan.Objective) Fault {
	order, lag := lagOrder(c, o.Percentile)
	if o.Series != "response" || o.Percentile == 100 || order < 0 {
		return Fault{}
	}
	return Fault{Culprit: Client, Reason: fmt.Sprintf("the generator was late: lag p%v is %s", o.Percentile, words.Duration(lag))}
}

// blameMachine looks for what else on this machine explains a missed percentile.
func blameMachine(c *results.Cell, o plan.Objective) Fault {
	if o.Metric != "" {
		return Fault{}
	}
	if c.Hiccup != nil {
		hiccup, _ := value(*c.Hiccup, o.Percentile)
		if response, known := value(c.Response, o.Percentile); known && stoodStill(hiccup, response) {
			return Fault{Culprit: Machine, Reason: fmt.Sprintf("this process stood still: hiccup p%v is %s", o.Percentile, words.Duration(hiccup))}
		}
	}
	if o.Percentile < tailPercentile {
		return Fault{}
	}
	return cmp.Or(blameFor(c, results.CodeSteal, Machine), blameFor(c, results.CodeThrottled, Machine))
}

// blameTarget blames the target if the objective was missed, or is unknown because
// messages are missing.
func blameTarget(c *results.Cell, s results.SLO) Fault {
	switch {
	case s.Outcome == results.Missed:
		return Fault{Culprit: Target, Reason: withoutCores(c, "")}
	case c.Verdict == results.Invalid:
		return blameFor(c, results.CodeMissing, Target)
	}
	return Fault{}
}

// withoutCores adds to a reason that the machine had no core to spare: what else
// runs on it, such as the target, is then part of the answer.
func withoutCores(c *results.Cell, reason string) string {
	if p, found := c.Problem(results.CodeMachineCPU); found {
		return strings.TrimPrefix(reason+"; "+p.Text, "; ")
	}
	return reason
}
