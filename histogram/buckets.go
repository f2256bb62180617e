package histogram

import (
	"iter"
	"time"
)

// Buckets yields every bucket that holds values, in ascending order: the highest
// value that belongs to it, and how many values it holds. The highest value stands
// for all of them, as in [Histogram.QuantileOf]; in the last bucket it may be above
// [Histogram.Max]. It identifies the bucket among histograms of one geometry. The
// histogram must not change meanwhile.
func (h *Histogram) Buckets() iter.Seq2[time.Duration, int64] {
	return func(yield func(highest time.Duration, count int64) bool) {
		for v, count := range h.recorded() {
			if !yield(time.Duration(h.highest(v)), count) {
				return
			}
		}
	}
}
