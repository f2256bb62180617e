package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A Culprit made a cell miss an objective.
type Culprit string

// The culprits.
const (
	Nobody  Culprit = "nobody"  // no known culprit, or the plan itself
	Target  Culprit = "target"  // the broker
	Client  Culprit = "client"  // this process: the tool and its client library
	Machine Culprit = "machine" // other programs on this machine, or other machines of its host
)

// A Cause says whose limit it is that a cell missed an objective.
type Cause struct {
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
// generator's own lag. Time for which the sender was held up is the target's, unless
// the client library spent it computing.
func Blame(c *results.Cell, s results.SLO) Cause {
	o := s.Objective
	return cmp.Or( // the first that says something
		blameFloor(c, o), blameFor(c, results.CodeProcessCPU, Client), blameOverload(c), blameSender(c, o), blameMachine(c, o), blameMissed(c, s),
		Cause{Culprit: Nobody, Reason: s.Text},
	)
}

// blameFor blames a culprit if the cell has a problem.
func blameFor(c *results.Cell, code results.Code, culprit Culprit) Cause {
	if p, found := c.Problem(code); found {
		return Cause{Culprit: culprit, Reason: p.Text}
	}
	return Cause{}
}

// blameFloor blames the client if it is the limit, or misses the objective against a TCP echo, too.
func blameFloor(c *results.Cell, o plan.Objective) Cause {
	if reason := ownLimit(c); reason != "" {
		return Cause{Culprit: Client, Reason: reason}
	}
	if c.Floor == nil {
		return Cause{}
	}
	value, known := floorAt(c, o.Percentile)
	if o.Series != "response" || !known || o.Holds(float64(value)) {
		return Cause{}
	}
	return Cause{Culprit: Client, Reason: fmt.Sprintf("%s in place of the target has p%v %s", c.Floor.What(), o.Percentile, words.Duration(value))}
}

// blameOverload judges a cell that fell behind its rate all the time. It is sure of
// an overload that makes the cell invalid.
func blameOverload(c *results.Cell) Cause {
	if !fellBehind(c) {
		return Cause{}
	}
	p, _ := c.Problem(results.CodeRate)
	cause := cmp.Or(blameSender(c, plan.Objective{Series: "response", Percentile: 50}), Cause{
		Culprit: Target, Sure: p.Severity == results.Invalid, Reason: withoutCores(c, holdingUp(c, 50)),
	})
	cause.Reason = joined(fmt.Sprintf("reached %s/s", words.Rate(c.ReachedPerS)), cause.Reason)
	return cause
}

// blameSender blames the client for what messages waited before they were sent, if
// that is the larger part of the response: for the generator's own lag always, and for
// time inside Request if the sender was busy there and its messages were answered soon.
// A target that takes no more messages holds up the sender, too. But then what is in
// the target's buffers takes long, and the sender, which waits, uses no core.
func blameSender(c *results.Cell, o plan.Objective) Cause {
	percentile := o.Percentile
	if o.Series != "response" || percentile == 100 {
		return Cause{}
	}
	if order, lag := partOrder(c, c.Lag, percentile); order >= 0 {
		return Cause{Culprit: Client, Reason: fmt.Sprintf("the generator was late: lag p%v is %s", percentile, words.Duration(lag))}
	}
	order, held := partOrder(c, c.Held, percentile)
	service, answered := value(c.Service, percentile)
	if order < 0 || !answered || float64(service) > answeredSoon*float64(held) || sendersIdle(c) {
		return Cause{}
	}
	return Cause{Culprit: Client, Reason: fmt.Sprintf("the client library kept the sender busy: held p%v is %s, service p%v %s",
		percentile, words.Duration(held), percentile, words.Duration(service))}
}

// sendersIdle tells whether the senders are known to have left a core idle. It goes by
// their own threads, if known: the goroutines that take replies use cores whether or not
// a sender is held up.
func sendersIdle(c *results.Cell) bool {
	busy := processBusy * float64(max(c.Plan.Settings.Senders, 1))
	if c.SenderCores > 0 {
		return c.SenderCores < busy
	}
	return c.Usage != nil && c.Usage.Process.CPUCores < busy
}

// holdingUp says that the target held up the sender, if that is the larger part of the
// response.
func holdingUp(c *results.Cell, percentile float64) string {
	if order, held := partOrder(c, c.Held, percentile); order >= 0 {
		return fmt.Sprintf("its client held up the sender: held p%v is %s", percentile, words.Duration(held))
	}
	return ""
}

// blameMachine looks for what else on this machine explains a missed percentile.
func blameMachine(c *results.Cell, o plan.Objective) Cause {
	if o.Metric != "" {
		return Cause{}
	}
	if c.Hiccup != nil {
		hiccup, _ := value(*c.Hiccup, o.Percentile)
		if response, known := value(c.Response, o.Percentile); known && stoodStill(hiccup, response) {
			return Cause{Culprit: Machine, Reason: fmt.Sprintf("this process stood still: hiccup p%v is %s", o.Percentile, words.Duration(hiccup))}
		}
	}
	if o.Percentile < tailPercentile {
		return Cause{}
	}
	return cmp.Or(blameFor(c, results.CodeSteal, Machine), blameFor(c, results.CodeThrottled, Machine))
}

// blameMissed blames the target if the objective was missed, or is unknown because messages are
// missing, and the client for the lag, which is the generator's own.
func blameMissed(c *results.Cell, s results.SLO) Cause {
	o := s.Objective
	switch {
	case s.Outcome == results.Missed && o.Series == "lag":
		return Cause{Culprit: Client, Reason: withoutCores(c, "lag is the generator's own")}
	case s.Outcome == results.Missed && o.Series == "response":
		return Cause{Culprit: Target, Reason: withoutCores(c, holdingUp(c, o.Percentile))}
	case s.Outcome == results.Missed:
		return Cause{Culprit: Target, Reason: withoutCores(c, "")}
	case c.Verdict == results.Invalid:
		return blameFor(c, results.CodeMissing, Target)
	}
	return Cause{}
}

// withoutCores adds to a reason that the machine had no core to spare: what else
// runs on it, such as the target, is then part of the answer.
func withoutCores(c *results.Cell, reason string) string {
	p, _ := c.Problem(results.CodeMachineCPU)
	return joined(reason, p.Text)
}

// joined joins the reasons that are not empty.
func joined(reasons ...string) string {
	return strings.Join(slices.DeleteFunc(reasons, func(reason string) bool { return reason == "" }), "; ")
}
