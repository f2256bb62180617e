package histogram

import (
	"fmt"
	"time"
)

// SetExtremes says what the smallest and the largest value of h are exactly, and how many
// were clamped: of a histogram that was read from a file these are the bounds of a
// bucket, and unknown. It is an error if they are not in the buckets of h; an empty
// histogram has none.
func (h *Histogram) SetExtremes(least, most time.Duration, clamped int64) error {
	h.clamped = clamped
	if h.count == 0 {
		return nil
	}
	first, last := h.index(int64(least)), h.index(int64(most))
	if first > last || h.counts[first] == 0 || h.counts[last] == 0 {
		return fmt.Errorf("no value is in the bucket of %v, or of %v", least, most)
	}
	h.min, h.max = int64(least), int64(most)
	return nil
}
