// Package paired says how much two things differ that were measured in pairs: shortly
// after each other, again and again.
//
// What makes a machine slow for minutes slows both of a pair, and is not in their
// ratio. So the sample is the logarithm of each pair's ratio, as noise multiplies,
// and the interval is Student's, of one mean. It does not need the two sides to vary
// alike, and their values need not be normal, only the differences nearly so: heavy
// tails make it wider, not wrong.
package paired

import (
	"math"

	"github.com/brokerbench/brokerbench/internal/student"
)

// precision is the largest width of a histogram's bucket, as a logarithm. Smaller
// differences are not measured.
const precision = 1. / (1 << 10)

// A Sample holds the natural logarithm of the ratio of each pair.
type Sample []float64

// Of returns the sample of two sides, whose i-th values are a pair. All are above 0.
// The ratio is second/first. The sides are of the same length.
func Of[T ~int64 | ~float64](first, second []T) Sample {
	s := make(Sample, len(first))
	for i := range first {
		s[i] = math.Log(float64(second[i]) / float64(first[i]))
	}
	return s
}

// Ratio returns the geometric mean of the ratios. It is NaN without a pair.
func (s Sample) Ratio() float64 { return math.Exp(s.mean()) }

func (s Sample) mean() (mean float64) {
	for _, v := range s {
		mean += v
	}
	return mean / float64(len(s))
}

// Deviation returns how much a single pair varies: the standard deviation of the
// logarithm. It is NaN with fewer than two pairs.
func (s Sample) Deviation() float64 {
	mean, sum := s.mean(), 0.0
	for _, v := range s {
		sum += (v - mean) * (v - mean)
	}
	return math.Sqrt(sum / float64(len(s)-1))
}

// HalfWidth returns how far the logarithm of the ratio may be from the truth, with a
// confidence of level. It is +Inf with fewer than two pairs.
func (s Sample) HalfWidth(level float64) float64 {
	if len(s) < 2 {
		return math.Inf(1)
	}
	return halfWidth(s.Deviation(), len(s), level)
}

func halfWidth(deviation float64, pairs int, level float64) float64 {
	return student.Quantile(level, float64(pairs-1))*deviation/math.Sqrt(float64(pairs)) + precision
}

// mostNeeded is beyond what anybody measures.
const mostNeeded = 10_000

// Needed returns how many pairs that vary as these do would make the interval so
// narrow: ±0.1 is width 0.1. Ok is false if that is not known, with fewer than two
// pairs, or if it is more than 10,000.
func (s Sample) Needed(width, level float64) (pairs int, ok bool) {
	if len(s) < 2 {
		return 0, false
	}
	deviation, most := s.Deviation(), math.Log1p(width)
	for n := 2; n <= mostNeeded; n += 1 + n/50 {
		if halfWidth(deviation, n, level) <= most {
			return n, true
		}
	}
	return 0, false
}
