package stats

import (
	"cmp"
	"math"
	"slices"
)

// RankSum returns the two-sided p-value of Wilcoxon's rank sum test: the probability
// that the ranks of b among all values are as extreme as they are if a and b are draws
// of one distribution. It is exact, also with ties. Above reports whether the ranks of b
// are high.
func RankSum(a, b []float64) (p float64, above bool) {
	ranks := doubledRanks(slices.Concat(b, a))
	sum := 0
	for _, r := range ranks[:len(b)] {
		sum += r
	}
	low, high, all := 0., 0., 0.
	for s, n := range rankSums(ranks, len(b)) {
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

// rankSums counts, of all ways to draw n of the ranks, how many have each sum. Ranks are
// doubled, so that the ranks of equal values are whole.
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
		for k := n; k >= 1; k-- { // downwards: each rank is drawn at most once
			for sum := total; sum >= r; sum-- {
				ways[k][sum] += ways[k-1][sum-r]
			}
		}
	}
	return ways[n]
}

// doubledRanks returns twice the rank of each value. Equal values share their mean rank.
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

// HodgesLehmann returns how far b lies above a: the median of all differences, and the
// exact interval of the rank sum test, which only assumes that both distributions have
// the same form (Hodges & Lehmann, Estimates of location based on rank tests, Annals of
// Mathematical Statistics 34, 1963). The bounds are infinite if there are too few values
// for the level.
func HodgesLehmann(a, b []float64, level float64) (shift, low, high float64) {
	var list, ranks []float64
	for _, y := range b {
		for _, x := range a {
			list = append(list, y-x)
		}
	}
	for i := range len(a) + len(b) {
		ranks = append(ranks, float64(i))
	}
	slices.Sort(list)
	low, high = math.Inf(-1), math.Inf(1)
	if k := outside(rankSums(doubledRanks(ranks), len(b)), level); k > 0 {
		low, high = list[k-1], list[len(list)-k]
	}
	return Median(list), low, high
}

// outside returns how many of the ordered differences lie outside of the interval at
// each end, given the number of ways to reach each rank sum.
func outside(ways []float64, level float64) (k int) {
	all, below := 0., 0.
	for _, n := range ways {
		all += n
	}
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

// NormalScores replaces each value by the normal quantile of its rank (van der Waerden,
// Order tests for the two-sample problem, Indagationes Mathematicae 14, 1952), so that an
// extreme value counts as the highest one, however high it is.
func NormalScores(values []float64) []float64 {
	sorted := slices.Sorted(slices.Values(values))
	scores := make([]float64, len(values))
	for i, v := range values {
		from, _ := slices.BinarySearch(sorted, v)
		to, _ := slices.BinarySearch(sorted, math.Nextafter(v, math.Inf(1)))
		middle := float64(from+to) / 2 // equal values share the middle rank
		scores[i] = NormalQuantile(2*middle/float64(len(values)) - 1)
	}
	return scores
}
