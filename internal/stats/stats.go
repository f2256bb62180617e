// Package stats holds the statistics that results, judgements and comparisons are made
// with. Its functions depend on nothing but their arguments, and none of them keeps or
// changes a slice that it is given. Each names the source of its formula.
package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
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

// GeometricMean returns the geometric mean of values, which are above 0. It is 1 for no
// values.
func GeometricMean(values []float64) float64 {
	if len(values) == 0 {
		return 1
	}
	return stat.GeometricMean(values, nil)
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
