package histogram

import (
	"iter"
	"time"
)

// Buckets yields every bucket that holds values, in ascending order: the highest
// value that belongs to it and how many it holds. That value stands for all of
// them, as in [Histogram.QuantileOf], and for the last bucket it may be above
// [Histogram.Max]; buckets of histograms of one geometry can be told apart by it.
// The histogram must not change meanwhile.
func (h *Histogram) Buckets() iter.Seq2[time.Duration, int64] {
	return func(yield func(highest time.Duration, count int64) bool) {
		for v, count := range h.recorded() {
			if !yield(time.Duration(h.highest(v)), count) {
				return
			}
		}
	}
}
