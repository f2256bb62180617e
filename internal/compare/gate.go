package compare

import (
	"fmt"
	"math"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/stats"
)

// An Outcome is the result of a condition in each pair.
type Outcome struct {
	Condition string `json:"condition"`
	Gates     []Gate `json:"gates"`
}

// A Gate is a condition of one pair.
type Gate struct {
	ID     string `json:"id"`    // of BASE's cells, without the number of the repeat
	Title  string `json:"title"` // of BASE's cells, for people
	Result Result `json:"result"`
	// The ratio NEW/BASE. Of loss the difference, as a share of all messages; of a rate
	// of pauses the difference, per minute. Null: unknown.
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`   // its interval; null: unknown
	High  *float64 `json:"high"`  //
	Level float64  `json:"level"` // the confidence of the interval; 0: none
	// Reason says why it is not decided, if it is not only that the limit is inside the
	// interval.
	Reason string `json:"reason,omitempty"`
	// Unseen names a fault that may exist although the gate passed.
	Unseen string `json:"unseen,omitempty"`
}

// A Result is the result of a gate.
type Result string

// The results.
const (
	Passed     Result = "passed"      // the limit is above the whole interval
	Failed     Result = "failed"      // the limit is below the whole interval
	NotDecided Result = "not decided" // everything else, also if it could not be judged
)

// Count returns how many gates have a result.
func (o Outcome) Count(r Result) (n int) {
	for _, g := range o.Gates {
		if g.Result == r {
			n++
		}
	}
	return n
}

type trialGate struct {
	*Gate
	Condition
	of     couple
	sample sample
}

// judgeGates decides the conditions of all pairs together. A cell that NEW lacks is not
// decided.
func (c *Comparison) judgeGates(couples []couple, conditions []Condition) {
	var open []trialGate
	for _, condition := range conditions {
		o := c.undecided(condition)
		for i, couple := range couples {
			g := trialGate{Gate: &o.Gates[i], Condition: condition, of: couple}
			if g.sample, g.Reason = condition.sample(couple); g.Reason == "" {
				open = append(open, g)
			}
		}
		c.FailOn = append(c.FailOn, o)
	}
	c.JudgedGates = len(open)
	stats.Holm(open, Confidence, func(g trialGate, level float64) bool {
		g.decide(level)
		return g.Result != NotDecided
	})
}

// undecided returns the gates of a condition: one for each pair, in their order, and for
// each cell that NEW lacks.
func (c *Comparison) undecided(condition Condition) Outcome {
	o := Outcome{Condition: condition.String()}
	for _, p := range c.Pairs {
		o.Gates = append(o.Gates, Gate{ID: p.Base.ID, Title: p.Base.Title(), Result: NotDecided})
	}
	for _, u := range c.Unpaired {
		if u.Side == "BASE" {
			o.Gates = append(o.Gates, Gate{ID: u.ID, Title: u.Title, Result: NotDecided, Reason: "NEW lacks it"})
		}
	}
	return o
}

// sample returns the runs to judge a condition by, and why it cannot be judged, or "".
func (c Condition) sample(of couple) (s sample, reason string) {
	if of.method() == OneASide {
		return s, "one run a side"
	}
	switch c.Metric {
	case OfLoss:
		reason = of.reason(0, interrupted, empty)
	case OfPauses:
		reason = of.stalls().Reason
	case OfPercentile:
		if reason = of.unjudged(c.Percentile); reason == "" {
			s = of.sample(c.Percentile)
		}
		return s, reason
	}
	if of.method() == OneAgainst {
		reason = "one run on one side"
	}
	return s, reason
}

func (g trialGate) decide(level float64) {
	b := g.bounds(level)
	g.Value, g.Low, g.High, g.Level = finite(b.value), finite(b.low), finite(b.high), level
	limit := g.limit()
	switch {
	case b.low > limit || g.OrEqual && b.low == limit:
		g.Result = Failed
	case b.high < limit || !g.OrEqual && b.high == limit:
		g.Result = Passed
		if count, _ := g.of.next.lost().sums(); g.Metric == OfLoss && count == 0 {
			g.Unseen = unseen(len(g.of.next.trials))
		}
	case g.Percentile == 100 && math.IsInf(b.high, 0):
		g.Reason = fmt.Sprintf("%d runs against %d are too few", len(g.sample.base), len(g.sample.next))
	}
}

// unseen bounds the share of runs that lose messages if none of n did, with 95 %
// confidence: few runs miss a rare loss.
func unseen(n int) string {
	return fmt.Sprintf("up to %.0f %% of runs may lose messages though %d lost none", 100*(1-math.Pow(1-Confidence, 1/float64(n))), n)
}

// limit returns the limit in the unit of the bounds.
func (g trialGate) limit() float64 {
	switch {
	case g.PerMinute:
		return g.Limit
	case g.Metric == OfLoss:
		return g.Limit / 100
	}
	return 1 + g.Limit/100
}

// bounds returns the value that should be below the limit, with its interval.
func (g trialGate) bounds(level float64) bounds {
	switch g.Metric {
	case OfLoss:
		return shareOf(g.of.next.lost(), level).minus(shareOf(g.of.base.lost(), level))
	case OfPauses:
		return g.pauses(level)
	case OfPercentile:
	}
	if g.Percentile == 100 {
		shift, low, high := stats.HodgesLehmann(g.sample.base, g.sample.next, level)
		return bounds{math.Exp(shift), math.Exp(low - histogram.BucketWidth), math.Exp(high + histogram.BucketWidth)}
	}
	e := g.of.estimate(g.sample, level, g.Percentile)
	return bounds{math.Exp(e.value), math.Exp(e.low), math.Exp(e.high)}
}

func (g trialGate) pauses(level float64) bounds {
	s := g.of.stalls()
	base, next := s.Base.tally, s.New.tally
	if !g.PerMinute {
		return rateRatio(base, next, level)
	}
	d := dispersion(level, base, next)
	return rateOf(next, level, d).minus(rateOf(base, level, d)).times(60)
}

// finite rounds a number; nil if it is infinite or NaN.
func finite(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return new(stats.Rounded(v))
}
