package measure

import (
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// value returns a percentile; known is false if messages that are missing rank
// there, or none was measured.
func value(d results.Distribution, percentile float64) (v time.Duration, known bool) {
	row, _ := d.At(percentile)
	return row.Value()
}
