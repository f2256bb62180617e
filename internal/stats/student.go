package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

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
