package measure

import (
	"math"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/histogram/confidence"
	"github.com/brokerbench/brokerbench/internal/exact"
	"github.com/brokerbench/brokerbench/results"
)

// The window is cut into blocks of seconds, and each has the median of what its seconds
// say: a pause that hits fewer than half of a block's seconds does not move it.
const (
	mostBlocks  = 12
	leastBlocks = 6 // of a second, so a shorter window is not judged

	// A trend is one if blocks in random order show it in less than this share of all
	// cases, and if it changes response times by steadyChange at least.
	trendChance  = 0.005
	steadyChange = 1.2
	// A queue diverges if even its shortest waits grow, by this much a second at least
	// (that of a rate 0.05 % above the capacity), to twice what they were, and no less in
	// the second half of the window than a quarter of the whole: else it settles.
	leastGrowth  = 0.0005
	growsTo      = 2
	secondHalf   = 0.25
	coldBlocks   = 2
	waitQuantile = 10 // the percentile that stands for the shortest waits
)

// steadiness says how response times moved over a window, at a rate that was due; nil
// if the window is too short to tell.
func steadiness(s *confidence.Series, window time.Duration, offered float64) *results.Steady {
	medians, waits := blocks(s.Quantiles(50)), blocks(s.Quantiles(waitQuantile))
	if len(medians) < leastBlocks || window <= 0 {
		return nil
	}
	perBlock := window.Seconds() / float64(len(medians))
	steady := results.Steady{P50Change: change(medians)}
	if len(waits) == len(medians) {
		if growth := slope(waits) / perBlock; diverges(waits, growth) {
			// In a second of replies so much less than a second of messages was done.
			steady.GrowsNSPer, steady.CapacityPS = math.Round(growth*1e9), offered*(1-min(growth, 1))
			return &steady
		}
	}
	if n := coldUntil(medians); n > 0 {
		steady.ColdNS = int64(float64(n) * perBlock * 1e9)
		steady.ColdP50NS, steady.WarmP50NS = int64(1e9*median(medians[:n])), int64(1e9*median(medians[n:]))
		medians = medians[n:]
	}
	steady.Sure = trends(medians) && beyond(change(medians))
	return &steady
}

// blocks returns the medians of equal blocks of values, in seconds. Seconds without
// replies say nothing.
func blocks(values []time.Duration) (list []float64) {
	seconds := make([]float64, 0, len(values))
	for _, v := range values {
		if v > 0 {
			seconds = append(seconds, v.Seconds())
		}
	}
	n := min(mostBlocks, len(seconds))
	for i := range n {
		list = append(list, median(seconds[i*len(seconds)/n:(i+1)*len(seconds)/n]))
	}
	return list
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// trends tells whether values rise or fall more clearly than chance makes them.
func trends(values []float64) bool {
	s := exact.Trend(values)
	return exact.Rising(max(s, -s), len(values)) < trendChance
}

// beyond tells whether a change is large enough to matter.
func beyond(change float64) bool { return change >= steadyChange || change <= 1/steadyChange }

// change returns the end of the fitted trend over its beginning, of times above 0.
func change(values []float64) float64 {
	logs := make([]float64, len(values))
	for i, v := range values {
		logs[i] = math.Log(v)
	}
	return math.Exp(slope(logs) * float64(len(values)))
}

// slope returns by how much values change from one to the next: the median of the
// slopes of all pairs (Theil 1950; Sen, Journal of the American Statistical Association
// 63, 1968).
func slope(values []float64) float64 {
	var slopes []float64
	for i, v := range values {
		for j := i + 1; j < len(values); j++ {
			slopes = append(slopes, (values[j]-v)/float64(j-i))
		}
	}
	return median(slopes)
}

// diverges tells whether the shortest waits of the blocks, which grow by that much a
// second, are those of a queue that never empties.
func diverges(waits []float64, growth float64) bool {
	begin, middle, end := waits[0], waits[len(waits)/2], waits[len(waits)-1]
	return growth >= leastGrowth && exact.Rising(exact.Trend(waits), len(waits)) < trendChance &&
		end >= growsTo*begin && end-middle >= secondHalf*(end-begin)
}

// coldUntil returns how many of the first blocks differ from all others: as many as are
// all above every other, or all below, by steadyChange. In random order two of n are that
// with a probability of 4/(n·(n−1)), whatever their distribution is.
func coldUntil(values []float64) int {
	rest := values[coldBlocks:]
	high, low := slices.Max(rest), slices.Min(rest)
	begin := values[:coldBlocks]
	if slices.Min(begin) >= steadyChange*high || steadyChange*slices.Max(begin) <= low {
		return coldBlocks
	}
	return 0
}
