package measure

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// value returns a percentile; known is false if ops rank there that are not
// done, or none is.
func value(d results.Distribution, percentile float64) (v time.Duration, known bool) {
	row, ok := d.At(percentile)
	if !ok {
		return 0, false
	}
	return row.Value()
}

// orZero returns a percentile, 0 if it is unknown.
func orZero(d results.Distribution, percentile float64) time.Duration {
	v, _ := value(d, percentile)
	return v
}

// millis writes a duration in ms for the reason of a verdict.
func millis(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	if ms < 10 {
		return fmt.Sprintf("%.3f", ms)
	}
	return fmt.Sprintf("%.1f", ms)
}
