package compare

import (
	"cmp"
	"math"
	"slices"

	"github.com/brokerbench/brokerbench/histogram"
)

// rankSums counts, of all ways to draw n of the ranks, how many have each sum. Ranks
// are doubled, so that the ranks of equal values are whole.
func rankSums(doubled []int, n int) []float64 {
	total := 0
	for _, r := range doubled {
		total += r
	}
	ways := make([][]float64, n+1) // by how many are drawn, then by their sum
	for k := range ways {
		ways[k] = make([]float64, total+1)
	}
	ways[0][0] = 1
	for _, r := range doubled {
		for k := n; k >= 1; k-- { // from above: each rank is drawn once at most
			for sum := total; sum >= r; sum-- {
				ways[k][sum] += ways[k-1][sum-r]
			}
		}
	}
	return ways[n]
}

// doubledRanks returns twice the rank of each value: equal values share the mean of
// theirs.
func doubledRanks(values []float64) []int {
	ranks := make([]int, len(values))
	for i, v := range values {
		for _, other := range values {
			ranks[i] += 1 + cmp.Compare(v, other)
		}
		ranks[i]++
	}
	return ranks
}

// rankTest returns the probability that the ranks of next are as high, or as low, as
// they are, if the runs of both sides are of the same kind: Wilcoxon's rank sum test,
// exact, with equal values. Above is true if they are high.
func rankTest(base, next []float64) (probability float64, above bool) {
	ranks := doubledRanks(slices.Concat(next, base))
	sum := 0
	for _, r := range ranks[:len(next)] {
		sum += r
	}
	ways := rankSums(ranks, len(next))
	low, high, all := 0., 0., 0.
	for s, n := range ways {
		all += n
		if s <= sum {
			low += n
		}
		if s >= sum {
			high += n
		}
	}
	return min(2*min(low, high)/all, 1), high < low
}

// shift returns how far next lies above base: the median of all differences (Hodges &
// Lehmann, Estimates of location based on rank tests, Annals of Mathematical
// Statistics 34, 1963), with the exact interval of the rank sum test, which assumes
// only that both sides have distributions of one form. The bounds are infinite if
// there are too few runs for the level.
func shift(base, next []float64, level float64) estimate {
	var list, ranks []float64
	for _, n := range next {
		for _, b := range base {
			list = append(list, n-b)
		}
	}
	slices.Sort(list)
	for i := range len(base) + len(next) {
		ranks = append(ranks, float64(i))
	}
	e := estimate{mean: (list[(len(list)-1)/2] + list[len(list)/2]) / 2, low: math.Inf(-1), high: math.Inf(1), level: level}
	if k := outside(rankSums(doubledRanks(ranks), len(next)), level); k > 0 {
		e.low, e.high = list[k-1]-histogram.BucketWidth, list[len(list)-k]+histogram.BucketWidth
	}
	return e
}

// outside returns how many of the ordered differences may be left out at each end, by
// the numbers of ways of each rank sum.
func outside(ways []float64, level float64) (k int) {
	all := 0.
	for _, n := range ways {
		all += n
	}
	below := 0.
	for _, n := range ways { // the lowest sum first; each is twice a whole one
		if n == 0 {
			continue
		}
		if below += n; 2*below/all > 1-level {
			return k
		}
		k++
	}
	return k
}
