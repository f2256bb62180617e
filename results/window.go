package results

import (
	"math"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
)

// NeededWindow returns the window, in whole seconds, in which at so many messages a
// second histogram.MinAbove rank above a percentile below 100; the longest Duration if
// there is none.
func NeededWindow(percentile, perSecond float64) time.Duration {
	seconds := math.Ceil(histogram.MinAbove / (1 - percentile/100) / perSecond * (1 - 1e-12)) // 1 − 0.999 is no float
	if !(seconds < math.MaxInt64/1e9) {
		return math.MaxInt64
	}
	return time.Duration(seconds) * time.Second
}
