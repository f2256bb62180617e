package confidence

import (
	"math"
	"math/bits"

	"github.com/brokerbench/brokerbench/internal/stats"
)

// Level is the confidence of [Series.Interval].
const Level = 0.95

// countable is the number of samples up to which ranks are computed exactly. That
// costs a step for each rank within some 17 standard deviations of the binomial
// distribution: 9 million steps for this many samples.
const countable = 1_000_000_000_000

// ranks returns l < u such that the p-quantile of a distribution lies between the
// l-th and the u-th smallest of n independent samples of it with a probability of
// at least level, whatever the distribution is: the number B of samples up to the
// quantile is binomial, and P(l ≤ B < u) ≥ level. The probability beyond either
// side is at most (1−level)/2. If l is 0 or u is n+1, no sample is far enough out.
// Source: Hahn & Meeker, Statistical Intervals (1991), section 5.2; Le
// Boudec, Performance Evaluation (2010), theorem 2.1.
//
// The ranks are exact up to [countable] samples, and those of [normal] above.
func ranks(n int64, p, level float64) (l, u int64) {
	if n > countable {
		return normal(n, p, level)
	}
	mode := min(int64(float64(n+1)*p), n)
	// Weights are relative to that of the mode, so that neither factorials nor
	// their logarithms are needed.
	down, up := 0.0, 0.0
	for weight := range falling(n, mode, p) {
		down += weight
	}
	for weight := range falling(n, n-mode, 1-p) {
		up += weight
	}
	beyond := (1 - level) / 2 * (down + up - 1) // the mode is in both
	return outermost(n, mode, p, down, beyond), n + 1 - outermost(n, n-mode, 1-p, up, beyond)
}

// normal returns the ranks by the normal approximation of the binomial distribution.
// Its skewness moves them by (1−2p)·(z²−1)/6, less than half a rank, so they are off
// by at most one if n·p·(1−p) is in the thousands.
func normal(n int64, p, level float64) (l, u int64) {
	mean, distance := float64(n)*p, stats.NormalQuantile(level)*math.Sqrt(float64(n)*p*(1-p))
	return int64(max(mean-distance, 0)), min(int64(mean+distance)+1, n) + 1
}

// outermost returns the highest rank l ≤ mode that has no more weight below it than
// beyond. Down is the weight up to the mode.
func outermost(n, mode int64, p, down, beyond float64) int64 {
	l := mode
	for weight := range falling(n, mode, p) {
		if down -= weight; down <= beyond {
			return l
		}
		l--
	}
	return max(l, 0)
}

// falling yields P(B = k) / P(B = mode) for k = mode, mode−1, …, as long as it
// changes a sum.
func falling(n, mode int64, p float64) func(yield func(weight float64) bool) {
	return func(yield func(float64) bool) {
		odds := (1 - p) / p
		for k, weight := mode, 1.0; k >= 0 && weight > 1e-17 && yield(weight); k-- {
			weight *= odds * float64(k) / float64(n-k+1)
		}
	}
}

// spread returns the ranks for n samples that say as much as fewer independent ones:
// the ranks of the independent ones at the same share of n+1, rounded outwards.
func spread(n, independent int64, p, level float64) (l, u int64) {
	l, u = ranks(independent, p, level)
	low, _ := scale(l, n+1, independent+1)
	high, rest := scale(u, n+1, independent+1)
	if rest > 0 {
		high++
	}
	return low, high
}

// scale returns a·b/c, rounded down, and the rest, without overflow; a ≤ c.
func scale(a, b, c int64) (quotient, rest int64) {
	if a == c {
		return b, 0
	}
	high, low := bits.Mul64(uint64(a), uint64(b))
	q, r := bits.Div64(high, low, uint64(c))
	return int64(q), int64(r)
}
