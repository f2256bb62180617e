// Package stats holds the statistics that results, judgements and comparisons are made
// with. Its functions depend on nothing but their arguments, and none of them keeps or
// changes a slice that it is given. Each names the source of its formula.
package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Moments returns the mean of values and the unbiased estimate of their variance, which
// is 0 for a single value. Both are 0 for no values.
func Moments(values []float64) (mean, variance float64) {
	switch len(values) {
	case 0:
		return 0, 0
	case 1:
		return values[0], 0
	}
	return stat.MeanVariance(values, nil)
}

// Median returns the median of one or more values: the mean of the two in the middle if
// their number is even.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Without returns a copy of values that lacks the i-th.
func Without(values []float64, i int) []float64 { return slices.Delete(slices.Clone(values), i, i+1) }

// Rounded rounds to nine decimals: processors differ in the digits behind them.
func Rounded(v float64) float64 { return math.Round(v*1e9) / 1e9 }

// StudentQuantile returns the t that |T| does not exceed with a probability of level,
// where T has Student's distribution with that many degrees of freedom, whole or not.
// Above 10,000, also for +Inf, it returns the normal quantile, which differs by less
// than 1/1000. It is accurate to 1e-9 for levels of 0.5 and more, and NaN out of range.
func StudentQuantile(level, freedom float64) float64 {
	switch {
	case !(level > 0 && level < 1 && freedom > 0):
		return math.NaN()
	case freedom > 10_000:
		return NormalQuantile(level)
	}
	// The lower tail: a probability near 1 has fewer digits than one near 0.
	return -distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile((1 - level) / 2)
}

// NormalQuantile returns the z that |Z| does not exceed with a probability of level,
// where Z has the standard normal distribution.
func NormalQuantile(level float64) float64 { return math.Sqrt2 * math.Erfinv(level) }

// Grubbs returns the index of the value farthest from the others, and on which side of
// them it lies (1 or −1), if it is an outlier: farther than such a value of a normal
// distribution is with a probability of chance, and at least by least (Grubbs, Sample
// criteria for testing outlying observations, Annals of Mathematical Statistics 21,
// 1950). Else, and of fewer than three values, the index is −1.
func Grubbs(values []float64, chance, least float64) (index int, side float64) {
	if len(values) < 3 {
		return -1, 0
	}
	mean, _ := Moments(values)
	for i, v := range values {
		if math.Abs(v-mean) > math.Abs(values[index]-mean) {
			index = i
		}
	}
	n := float64(len(values))
	others, variance := Moments(Without(values, index))
	distance := values[index] - others
	if math.Abs(distance) < max(least, StudentQuantile(1-chance/n, n-2)*math.Sqrt(variance*(1+1/(n-1)))) {
		return -1, 0
	}
	return index, math.Copysign(1, distance)
}

// Holm asks several questions so that the probability of any false answer stays below
// 1 − confidence (A simple sequentially rejective multiple test procedure, Scandinavian
// Journal of Statistics 6, 1979). It asks each of m questions at the level
// 1 − (1 − confidence)/m and then asks the unanswered ones again, at the level of their
// smaller number, until a round brings no answer. So an answer agrees with the interval
// at the level at which it was given. Answered reports whether a question is answered at
// a level.
func Holm[Q any](open []Q, confidence float64, answered func(q Q, level float64) bool) {
	for len(open) > 0 {
		level := 1 - (1-confidence)/float64(len(open))
		left := slices.DeleteFunc(slices.Clone(open), func(q Q) bool { return answered(q, level) })
		if len(left) == len(open) {
			return
		}
		open = left
	}
}
