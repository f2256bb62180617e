// Package exact has tests whose probabilities are counted and not approximated, for
// the few events and the few blocks that a run has.
package exact

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Fisher returns the probability that a or more of n draws have a mark, if a + b marks
// are spread over n + m draws by chance: the one-sided test that marks are more frequent
// among the n, where a of n and b of m have one (Fisher, The logic of inductive
// inference, Journal of the Royal Statistical Society 98, 1935). 0 ≤ a ≤ n, 0 ≤ b ≤ m.
func Fisher(a, n, b, m int) float64 {
	marked, sum := a+b, 0.0
	for k := a; k <= min(n, marked); k++ {
		if marked-k <= m {
			sum += math.Exp(choose(n, k) + choose(m, marked-k) - choose(n+m, marked))
		}
	}
	return min(sum, 1)
}

// choose returns the logarithm of the number of ways to choose k of n.
func choose(n, k int) float64 {
	all, _ := math.Lgamma(float64(n + 1))
	chosen, _ := math.Lgamma(float64(k + 1))
	rest, _ := math.Lgamma(float64(n - k + 1))
	return all - chosen - rest
}

// AtMost returns the largest mean of a Poisson distribution with which n events or
// fewer still happen in 1 − level of all cases: so many there are at most, on average,
// with that confidence (Garwood, Fiducial limits for the Poisson distribution,
// Biometrika 28, 1936). For n = 0 and 95 % it is 3.0. n ≥ 0, 0 < level < 1.
func AtMost(n int64, level float64) float64 {
	return distuv.ChiSquared{K: 2 * float64(n+1)}.Quantile(level) / 2
}

// ShareAtMost returns the largest share of which k or fewer of n are still drawn in 1 −
// level of all cases (Clopper & Pearson, The use of confidence or fiducial limits
// illustrated in the case of the binomial, Biometrika 26, 1934). It is 1 for k = n. 0 ≤ k
// ≤ n, 0 < level < 1.
func ShareAtMost(k, n int64, level float64) float64 {
	if k >= n {
		return 1
	}
	return distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(level)
}

// Rising returns the probability that values in random order rise as clearly as these,
// in which the sum over all pairs of the sign of later − earlier is s: Kendall's rank
// test against a trend (Kendall, A new measure of rank correlation, Biometrika 30,
// 1938). Ties add 0 to s, which makes the test no less strict. There are n values.
func Rising(s, n int) float64 {
	// ways[i] is how many orders of the first k values have i pairs in the wrong order.
	ways := []float64{1}
	for k := 2; k <= n; k++ {
		next := make([]float64, len(ways)+k-1)
		for i, w := range ways {
			for wrong := range k {
				next[i+wrong] += w / float64(k) // as a share of all orders
			}
		}
		ways = next
	}
	sum := 0.0
	for wrong, share := range ways {
		if n*(n-1)/2-2*wrong >= s {
			sum += share
		}
	}
	return min(sum, 1)
}

// Trend returns Kendall's s of values: over all pairs, the sum of the sign of later −
// earlier.
func Trend(values []float64) (s int) {
	for i, v := range values {
		for _, later := range values[i+1:] {
			switch {
			case later > v:
				s++
			case later < v:
				s--
			}
		}
	}
	return s
}
