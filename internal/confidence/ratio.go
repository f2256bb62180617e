package confidence

import (
	"math"

	"github.com/brokerbench/brokerbench/histogram"
)

// A Ratio is NEW/BASE at a percentile, with its interval. All are logarithms.
type Ratio struct{ Mean, Low, High float64 } // a bound that is not known is infinite

// Compare returns the ratio of a percentile of two pools that do not depend on each other,
// and its interval at a level. Each pool's own interval is combined by the MOVER (Zou & Donner,
// Construction of confidence limits about effect measures, Statistics in Medicine 27, 2008), and
// widened by a bucket of a histogram. Ok is false if a value is not known, or 0, or a pool
// has no interval.
func Compare(base, next *Pool, level, percentile float64) (r Ratio, ok bool) {
	b, ok := base.logarithms(level, percentile)
	if !ok {
		return Ratio{}, false
	}
	n, ok := next.logarithms(level, percentile)
	if !ok {
		return Ratio{}, false
	}
	r.Mean = n.Mean - b.Mean
	r.Low = r.Mean - math.Hypot(n.Mean-n.Low, b.High-b.Mean) - histogram.BucketWidth
	r.High = r.Mean + math.Hypot(n.High-n.Mean, b.Mean-b.Low) + histogram.BucketWidth
	return r, true
}

// logarithms returns those of a percentile and its interval.
func (p *Pool) logarithms(level, percentile float64) (r Ratio, ok bool) {
	v, _, known := p.Value(percentile)
	i, ok := p.Interval(level, percentile)
	if !ok || !known || v <= 0 {
		return Ratio{}, false
	}
	r = Ratio{math.Log(float64(v)), math.Inf(-1), math.Inf(1)}
	if i.LowKnown && i.Low > 0 {
		r.Low = math.Log(float64(i.Low))
	}
	if i.HighKnown {
		r.High = math.Log(float64(i.High))
	}
	return r, true
}

// Differs reports whether the interval excludes equal values.
func (r Ratio) Differs() bool { return r.Low > 0 || r.High < 0 }

// P returns the probability that the ratio of equal things is as far from 1 as this one, or
// farther: 1 minus the highest level at which the interval excludes equal values. It is 1 if
// no level does.
func P(base, next *Pool, percentile float64) float64 {
	least, most := 1e-9, 1. // of p
	for most-least > 1e-4*most {
		p := math.Sqrt(least * most)
		if r, ok := Compare(base, next, 1-p, percentile); ok && r.Differs() {
			most = p
		} else {
			least = p
		}
	}
	return most
}
