package stats

import "cmp"

// KendallS returns Kendall's S: over all pairs of values, the sum of the sign of later
// − earlier.
func KendallS(values []float64) (s int) {
	for i, v := range values {
		for _, later := range values[i+1:] {
			s += cmp.Compare(later, v)
		}
	}
	return s
}

// KendallP returns the probability that n values in random order have an S of at least
// s: Kendall's one-sided test for a rising trend (A new measure of rank correlation,
// Biometrika 30, 1938). Ties add 0 to S, which makes the test no less strict.
func KendallP(s, n int) float64 {
	// share[i] is the share of all orders of the first k values that have i pairs in the
	// wrong order.
	share := []float64{1}
	for k := 2; k <= n; k++ {
		next := make([]float64, len(share)+k-1)
		for i, w := range share {
			for wrong := range k {
				next[i+wrong] += w / float64(k)
			}
		}
		share = next
	}
	sum := 0.0
	for wrong, w := range share {
		if n*(n-1)/2-2*wrong >= s {
			sum += w
		}
	}
	return min(sum, 1)
}

// TheilSen returns the change from one value to the next, robustly: the median of the
// slopes of all pairs (Theil 1950; Sen, Journal of the American Statistical Association
// 63, 1968). It needs two values.
func TheilSen(values []float64) float64 {
	var slopes []float64
	for i, v := range values {
		for j := i + 1; j < len(values); j++ {
			slopes = append(slopes, (values[j]-v)/float64(j-i))
		}
	}
	return Median(slopes)
}
