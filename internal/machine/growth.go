package machine

import (
	"math"
	"runtime/metrics"
)

// growth is what a histogram of runtime/metrics, which counts since the process
// began, gained since the last sample. Every value in a bucket counts as the
// bucket's upper bound, so nothing is reported shorter than it was. Go's buckets of
// durations are a quarter of their lower bound wide.
type growth struct {
	gained []uint64 // a count a bucket
	all    []uint64 // until the last sample
	bounds []float64
}

// update takes the next sample. It copies the counts of h, which the next reading
// overwrites.
func (g *growth) update(h *metrics.Float64Histogram) {
	if len(g.all) != len(h.Counts) {
		g.all, g.gained = make([]uint64, len(h.Counts)), make([]uint64, len(h.Counts))
	}
	for i, n := range h.Counts {
		g.gained[i] = n - g.all[i]
	}
	copy(g.all, h.Counts)
	g.bounds = h.Buckets
}

// quantile returns the value of rank ⌈q·n⌉ of the n gained, in nanoseconds; 0 if
// there is none.
func (g *growth) quantile(q float64) int64 {
	var n uint64
	for _, count := range g.gained {
		n += count
	}
	rank := uint64(math.Ceil(q * float64(n)))
	var seen uint64
	for i, count := range g.gained {
		if seen += count; count > 0 && seen >= rank {
			return g.upper(i)
		}
	}
	return 0
}

// sum returns all values gained added up, in nanoseconds.
func (g *growth) sum() (sum int64) {
	for i, count := range g.gained {
		sum += int64(count) * g.upper(i)
	}
	return sum
}

// upper returns the upper bound of a bucket in nanoseconds; of the last, which
// has none, the lower.
func (g *growth) upper(bucket int) int64 {
	bound := g.bounds[bucket+1]
	if math.IsInf(bound, 1) {
		bound = g.bounds[bucket]
	}
	return int64(math.Round(max(bound, 0) * 1e9))
}
