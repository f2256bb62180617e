package histogram

import (
	"fmt"
	"time"
)

// SetExtremes sets the exact smallest and largest value of h, and how many values were
// clamped: a histogram that was read from a file has the bounds of buckets instead, and no
// number of clamped values. It is an error if least and most are not in buckets with values;
// an empty histogram ignores both.
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
