package results

import (
	"math"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
)

// Needed returns how many messages a percentile below 100 needs, so that histogram.MinAbove
// rank above it.
func Needed(percentile float64) float64 {
	return histogram.MinAbove / (1 - percentile/100) * (1 - 1e-12) // 1 − 0.999 is no float
}

// NeededWindow returns the window, in whole seconds, that a percentile below 100 needs at a
// rate; the longest Duration if none is long enough.
func NeededWindow(percentile, perSecond float64) time.Duration {
	seconds := math.Ceil(Needed(percentile) / perSecond)
	if !(seconds < math.MaxInt64/1e9) {
		return math.MaxInt64
	}
	return time.Duration(seconds) * time.Second
}
