package ab

import (
	"math"
	"math/rand/v2"

	"github.com/brokerbench/brokerbench/internal/stats"
)

// The orders of a pair.
const (
	AFirst = "AB"
	BFirst = "BA"
)

// orderStream is the random stream that orders are drawn from.
const orderStream = 1<<63 + 1

// Orders returns a function that returns the order of the next pair of a cell. One of
// every two pairs begins with A and the other with B, in random order: neither coming
// second nor a periodic disturbance favours a side.
func Orders(seed uint64, cell int) func() string {
	draw := rand.New(rand.NewPCG(seed, orderStream+uint64(cell))) //nolint:gosec // not a secret
	var left []string
	return func() string {
		if len(left) == 0 {
			if left = []string{AFirst, BFirst}; draw.IntN(2) == 1 {
				left = []string{BFirst, AFirst}
			}
		}
		next := left[0]
		left = left[1:]
		return next
	}
}

// looking is the confidence of intervals with --until, so that 95 % of them contain the
// true ratio. Stopping as soon as an interval is narrow favours pairs that happened to
// vary little, whose intervals are too narrow (Anscombe, Sequential estimation, JRSS B
// 15, 1953). docs/simulations/ab.md measures by how much.
const looking = 0.97

// LeastPairs is the number of pairs from which on an interval can count as narrow.
const LeastPairs = 6

// Narrow reports whether every comparable percentile is known to ±until: 0.05 is ±5 %.
// Call it after each pair. It ignores which side is faster, so that stopping does not
// favour an answer.
func Narrow(cells [][]Pair, until float64) bool {
	samples, level := samplesOf(cells)
	for _, s := range samples {
		if len(s) < LeastPairs || s.HalfWidth(level) > math.Log1p(until) {
			return false
		}
	}
	return len(samples) > 0
}

// Needed estimates how many pairs it takes until Narrow. Ok is false if the variation is
// unknown, or if more than 10,000 are needed.
func Needed(cells [][]Pair, until float64) (pairs int, ok bool) {
	samples, level := samplesOf(cells)
	pairs = LeastPairs
	for _, s := range samples {
		n, ok := s.PairsFor(until, level)
		if !ok {
			return 0, false
		}
		pairs = max(pairs, n)
	}
	return pairs, len(samples) > 0
}

// samplesOf returns the samples of the percentiles that can be compared, and the level of
// their intervals.
func samplesOf(cells [][]Pair) (list []stats.LogRatios, level float64) {
	for _, pairs := range cells {
		if len(pairs) == 0 {
			continue
		}
		_, samples := analyse(pairs)
		for _, s := range samples {
			if len(s) > 0 {
				list = append(list, s)
			}
		}
	}
	return list, 1 - (1-looking)/float64(max(len(list), 1))
}
