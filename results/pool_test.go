package results

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/confidence"
)

// An upper bound is known also if too few values are below the percentile for a lower one.
func TestAnUpperBoundWithoutALowerOne(t *testing.T) {
	for _, c := range []struct {
		interval  confidence.Interval
		low, high time.Duration // below 0: null
	}{
		{confidence.Interval{High: 5, HighKnown: true}, 0, 5},
		{confidence.Interval{Low: 3, LowKnown: true}, 3, -1},
		{confidence.Interval{Low: 3, LowKnown: true, High: 5, HighKnown: true}, 3, 5},
		{confidence.Interval{}, -1, -1},
	} {
		var p Percentile
		p.Bound(c.interval, 4, true)
		for name, bound := range map[string]struct {
			got  *int64
			want time.Duration
		}{"low": {p.LowNS, c.low}, "high": {p.HighNS, c.high}} {
			if (bound.got == nil) != (bound.want < 0) || bound.got != nil && *bound.got != int64(bound.want) {
				t.Errorf("%+v: %s is %v, want %d", c.interval, name, bound.got, bound.want)
			}
		}
	}
}
