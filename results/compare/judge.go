package compare

import (
	"math"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// newPair returns a pair with a row for each percentile. Rows that can be judged
// have no answer yet.
func newPair(c couple, percentiles []float64) Pair {
	p := Pair{Base: c.base.cells(), New: c.next.cells(), Method: c.method()}
	for _, percentile := range percentiles {
		base, next := c.base.values(percentile), c.next.values(percentile)
		row := Row{Percentile: percentile, BaseNS: summed(base, percentile), NewNS: summed(next, percentile)}
		row.EveryRunAbove = everyAbove(base, next)
		row.Reason = c.reason(percentile)
		switch {
		case row.Reason != "":
			row.Answer = NotComparable
		case percentile == 100:
			row.Answer = NotJudged
			row.Ratio = rounded(float64(*row.NewNS) / float64(*row.BaseNS))
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// rounded drops the digits in which processors differ.
func rounded(v float64) *float64 {
	return new(math.Round(v*1e9) / 1e9)
}

func (c couple) method() Method {
	switch base, next := len(c.base.trials), len(c.next.trials); {
	case min(base, next) > 1:
		return Repeats
	case max(base, next) == 1:
		return OneASide
	}
	return OneAgainst
}

func (g group) cells() Cells {
	c := Cells{ID: g.id(), Target: g.target, Shape: g.shape, Verdict: results.Valid}
	for _, t := range g.trials {
		c.IDs = append(c.IDs, t.Cell.ID)
		if t.Cell.Verdict.Worse(c.Verdict) {
			c.Verdict = t.Cell.Verdict
		}
		c.Ledger.Add(t.Cell.Ledger)
		c.MaxNS = max(c.MaxNS, t.Cell.Response.MaxNS)
	}
	return c
}

// values returns a percentile of every repeat, in ascending order, or nothing if it
// is unknown in any.
func (g group) values(percentile float64) (values []time.Duration) {
	for _, t := range g.trials {
		row, _ := t.Cell.Response.At(percentile)
		v, known := row.Value()
		if !known {
			return nil
		}
		values = append(values, v)
	}
	slices.Sort(values)
	return values
}

// summed returns the median repeat's value, or of the maximum the largest.
func summed(sorted []time.Duration, percentile float64) *int64 {
	if len(sorted) == 0 {
		return nil
	}
	ns := int64(sorted[len(sorted)/2])
	if percentile == 100 {
		ns = int64(sorted[len(sorted)-1])
	}
	return &ns
}

func everyAbove(base, next []time.Duration) bool {
	return len(base) > 0 && len(next) > 0 && next[0] > base[len(base)-1]
}

// A question is a row that can be judged, of a couple.
type question struct {
	*Row
	of couple
}

// judge answers the rows that can be judged, all together, stepping down: see the
// package comment. The i-th pair was made of the i-th couple.
func (c *Comparison) judge(couples []couple) {
	open := c.questions(couples)
	c.Judged = len(open)
	for answered := true; answered && len(open) > 0; {
		level := 1 - (1-Confidence)/float64(len(open))
		var left []question
		for _, q := range open {
			q.answer(q.of.base.sample(q.Percentile, level), q.of.next.sample(q.Percentile, level))
			if q.Answer == NoDifference {
				left = append(left, q)
			}
		}
		answered = len(left) < len(open)
		open = left
	}
}

func (c *Comparison) questions(couples []couple) (list []question) {
	for i := range c.Pairs {
		for j := range c.Pairs[i].Rows {
			if r := &c.Pairs[i].Rows[j]; r.Reason == "" && r.Percentile < 100 {
				list = append(list, question{r, couples[i]})
			}
		}
	}
	return list
}

func (g group) sample(percentile, level float64) sample {
	first := g.trials[0]
	return newSample(g.values(percentile), first.Series, percentile, first.Cell.Response.Missing, level)
}

// answer compares two samples of one level.
func (r *Row) answer(base, next sample) {
	low, high := bounds(base, next)
	r.Ratio, r.Low, r.High, r.Level = rounded(math.Exp(next.mean-base.mean)), nil, nil, base.level
	if !math.IsInf(low, 0) {
		r.Low = rounded(math.Exp(low))
	}
	if !math.IsInf(high, 0) {
		r.High = rounded(math.Exp(high))
	}
	switch {
	case low > 0:
		r.Answer = Slower
	case high < 0:
		r.Answer = Faster
	default:
		r.Answer = NoDifference
	}
}
