// Package paired says how much two things differ that were measured in pairs: shortly
// after each other, again and again.
//
// What makes a machine slow for minutes slows both of a pair, and is not in their
// ratio. So the sample is the logarithm of each pair's ratio, as noise multiplies,
// and the interval is Student's, of one mean. It does not need the two sides to vary
// alike.
//
// A pair in which one side stalled says much about stalls and little about the rest,
// and would make the interval of all useless. So of eight pairs or more the one with
// the highest ratio and the one with the lowest are set aside, of 16 two, and so on:
// the mean is trimmed, and its error is that of Tukey & McLaughlin (Less vulnerable
// confidence and significance procedures for location based on a single sample:
// trimming/Winsorization 1, Sankhyā A 25, 1963), which counts what was set aside as if
// it were as far off as the next ones.
package paired

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/numbers"
	"github.com/brokerbench/brokerbench/internal/student"
)

// A Sample holds the natural logarithm of the ratio of each pair.
type Sample []float64

// Of returns the sample of two sides, whose i-th values are a pair. All are above 0.
// The ratio is second/first. The sides are of the same length.
func Of[T ~int64 | ~float64](first, second []T) Sample {
	s := make(Sample, len(first))
	for i := range first {
		s[i] = math.Log(float64(second[i]) / float64(first[i]))
	}
	return s
}

// pairsForOdd is how many pairs there are for one on either end that is set aside.
const pairsForOdd = 8

// odd returns how many of so many pairs are set aside on either end.
func odd(pairs int) int { return pairs / pairsForOdd }

// Kept returns the indices of the pairs that are not set aside, in ascending order.
func (s Sample) Kept() []int {
	order := make([]int, len(s))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s[a], s[b]) })
	kept := order[odd(len(s)) : len(s)-odd(len(s))]
	slices.Sort(kept)
	return kept
}

// Ratio returns the geometric mean of the ratios of the pairs that are kept. It is NaN
// without a pair.
func (s Sample) Ratio() float64 { return math.Exp(s.mean()) }

func (s Sample) mean() (mean float64) {
	kept := s.Kept()
	for _, i := range kept {
		mean += s[i]
	}
	return mean / float64(len(kept))
}

// Deviation returns how much a single pair varies: the standard deviation of the
// logarithm, as far as the mean that is kept feels it. It is NaN with fewer than two
// pairs.
func (s Sample) Deviation() float64 {
	near := slices.Sorted(slices.Values(s))
	aside := odd(len(near))
	for i := range aside { // what is set aside is as far off as the next
		near[i], near[len(near)-1-i] = near[aside], near[len(near)-1-aside]
	}
	_, variance := numbers.Moments(near)
	return math.Sqrt(variance) / (1 - 2*float64(aside)/float64(len(near)))
}

// oddFrom is how many deviations from the mean a pair is odd.
const oddFrom = 6

// Odd returns the indices of the pairs that are set aside and far from the others, in
// ascending order: something happened to them.
func (s Sample) Odd() (list []int) {
	kept, mean, deviation := s.Kept(), s.mean(), s.Deviation()
	for i, v := range s {
		if !slices.Contains(kept, i) && math.Abs(v-mean) > oddFrom*deviation+histogram.BucketWidth {
			list = append(list, i)
		}
	}
	return list
}

// HalfWidth returns how far the logarithm of the ratio may be from the truth, with a
// confidence of level. It is +Inf with fewer than two pairs.
func (s Sample) HalfWidth(level float64) float64 {
	if len(s) < 2 {
		return math.Inf(1)
	}
	return halfWidth(s.Deviation(), len(s), level)
}

func halfWidth(deviation float64, pairs int, level float64) float64 {
	freedom := float64(pairs - 2*odd(pairs) - 1)
	return student.Quantile(level, freedom)*deviation/math.Sqrt(float64(pairs)) + histogram.BucketWidth
}

// mostNeeded is beyond what anybody measures.
const mostNeeded = 10_000

// Needed returns how many pairs that vary as these do would make the interval so
// narrow, give or take a few: ±0.1 is width 0.1. Ok is false if that is not known, with
// fewer than two pairs, or if it is more than 10,000.
func (s Sample) Needed(width, level float64) (pairs int, ok bool) {
	if len(s) < 2 {
		return 0, false
	}
	deviation, most := s.Deviation(), math.Log1p(width)
	n := 2 + sort.Search(mostNeeded-1, func(more int) bool { return halfWidth(deviation, 2+more, level) <= most })
	return n, n <= mostNeeded
}
