// Package student is Student's t distribution: how far the mean of a few values
// may be from the truth, in units of an estimated standard error.
package student

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Quantile returns the t that |T| does not exceed with a probability of level, 0 <
// level < 1, for a T with that many degrees of freedom: any number above 0, whole or
// not. Above 10,000 it returns that of the normal distribution, which differs by less
// than 1/1000. It is exact to 1e-9 from a level of 0.5 on, and NaN out of range.
func Quantile(level, freedom float64) float64 {
	switch {
	case !(level > 0 && level < 1 && freedom > 0):
		return math.NaN()
	case freedom > 10_000:
		return math.Sqrt2 * math.Erfinv(level)
	}
	// The lower tail: near 1 a probability has fewer digits than near 0.
	return -distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile((1 - level) / 2)
}
