package ab

import (
	"math"
	"math/rand/v2"

	"github.com/brokerbench/brokerbench/results/paired"
)

// The orders of a pair.
const (
	AFirst = "AB"
	BFirst = "BA"
)

// orderStream is the random stream that orders are drawn from.
const orderStream = 1<<63 + 1

// Orders returns a function that returns the order of the next pair of a cell. Of
// every two pairs one begins with A and one with B, which of them first is drawn: so
// what comes second has no advantage, and nothing that recurs favours a side.
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

// looking is the confidence of intervals with --until, so that 95 % of them have the
// truth in them. Who stops as soon as an interval is narrow stops more often when the
// pairs happened to vary little, and such intervals hold less than they say (Anscombe,
// Sequential estimation, JRSS B 15, 1953). By how much is in docs/simulations/ab.md.
const looking = 0.97

// LeastPairs is how many pairs there are at least before an interval is believed to be
// narrow.
const LeastPairs = 6

// Narrow reports whether every percentile that is comparable is known to ±until: 0.05
// is ±5 %. Call it after each pair; it does not look at which side is faster, so it
// does not stop when it likes the answer.
func Narrow(cells [][]Pair, until float64) bool { return narrow(cells, until) }

func narrow(cells [][]Pair, until float64) bool {
	samples := samplesOf(cells)
	level := 1 - (1-looking)/float64(max(len(samples), 1))
	for _, s := range samples {
		if len(s) < LeastPairs || s.HalfWidth(level) > math.Log1p(until) {
			return false
		}
	}
	return len(samples) > 0
}

// Needed returns how many pairs it will take until Narrow, by what is known so far. Ok
// is false if nobody knows, or if it is more than 10,000.
func Needed(cells [][]Pair, until float64) (pairs int, ok bool) {
	samples := samplesOf(cells)
	level := 1 - (1-looking)/float64(max(len(samples), 1))
	pairs = LeastPairs
	for _, s := range samples {
		n, ok := s.Needed(until, level)
		if !ok {
			return 0, false
		}
		pairs = max(pairs, n)
	}
	return pairs, len(samples) > 0
}

// samplesOf returns the samples of the percentiles that can be compared.
func samplesOf(cells [][]Pair) (list []paired.Sample) {
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
	return list
}
