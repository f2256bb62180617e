// Package numbers says what a few numbers have in the middle, and how they vary.
package numbers

import (
	"math"
	"slices"
)

// Moments returns the mean of values and their variance, that of a single value, by n −
// 1; 0 if there is only one. Of no values both are 0.
func Moments(values []float64) (mean, variance float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		variance += (v - mean) * (v - mean) / float64(max(len(values)-1, 1))
	}
	return mean, variance
}

// GeometricMean returns the geometric mean of values, which are above 0; 1 of none.
func GeometricMean(values []float64) float64 {
	logs := make([]float64, len(values))
	for i, v := range values {
		logs[i] = math.Log(v)
	}
	mean, _ := Moments(logs)
	return math.Exp(mean)
}

// Median returns the median of values, of which there is one at least: the mean of the
// two in the middle of an even number.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Slope returns by how much values change from one to the next: the median of the
// slopes of all pairs (Theil 1950; Sen, Journal of the American Statistical Association
// 63, 1968). There are two values at least.
func Slope(values []float64) float64 {
	var slopes []float64
	for i, v := range values {
		for j := i + 1; j < len(values); j++ {
			slopes = append(slopes, (values[j]-v)/float64(j-i))
		}
	}
	return Median(slopes)
}

// Rounded drops the digits in which processors differ.
func Rounded(v float64) float64 { return math.Round(v*1e9) / 1e9 }
