// Package exact has tests whose probabilities are counted and not approximated, for
// the few events and the few blocks that a run has.
package exact

import "math"

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
