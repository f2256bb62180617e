package compare

import (
	"math"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/stats"
)

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
		shift, low, high := stats.HodgesLehmann(g.lineup.base, g.lineup.next, level)
		return bounds{math.Exp(shift), math.Exp(low - histogram.BucketWidth), math.Exp(high + histogram.BucketWidth)}
	}
	e := g.of.estimate(g.lineup, level, g.Percentile)
	return bounds{math.Exp(e.mean), math.Exp(e.low), math.Exp(e.high)}
}

// pauses bounds the ratio of the rates of pauses, or their difference per minute.
func (g trialGate) pauses(level float64) bounds {
	s := g.of.stalls()
	base, next := s.Base.tally, s.New.tally
	if !g.PerMinute {
		return rateRatio(base, next, level)
	}
	d := dispersion(level, base, next)
	return rateOf(next, level, d).minus(rateOf(base, level, d)).times(60)
}

// lost counts the messages of each run that are not done.
func (g group) lost() (t tally) {
	for _, trial := range g.trials {
		t.add(float64(trial.Cell.Ledger.Missing()), float64(trial.Cell.Ledger.Due))
	}
	return t
}

// finite rounds a number; nil if it is infinite or NaN.
func finite(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return new(stats.Rounded(v))
}
