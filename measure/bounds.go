package measure

import (
	"time"

	"github.com/brokerbench/brokerbench/histogram/confidence"
	"github.com/brokerbench/brokerbench/results"
)

// bounds computes 95 % confidence intervals from the intervals of the window.
type bounds struct{ response, service confidence.Series }

// expect says how many intervals the window has.
func (b *bounds) expect(window time.Duration) {
	n := int((window + period - 1) / period)
	b.response.Expect(n)
	b.service.Expect(n)
}

// add adds an interval of the window.
func (b *bounds) add(interval totals, rest func()) {
	b.response.Add(interval[response])
	rest()
	b.service.Add(interval[service])
	rest()
}

// extend adds the replies that came after the window to its last interval.
func (b *bounds) extend(interval totals) {
	if interval[response].Count() > 0 {
		b.response.Extend(interval[response])
		b.service.Extend(interval[service])
	}
}

// bound writes the confidence intervals into the rows of a distribution.
func bound(d results.Distribution, series *confidence.Series) {
	for i, row := range d.Percentiles {
		interval, ok := series.Interval(row.Percentile, d.Missing)
		if !ok || !interval.LowKnown {
			continue
		}
		low := int64(interval.Low)
		d.Percentiles[i].LowNS = &low
		if interval.HighKnown {
			high := int64(interval.High)
			d.Percentiles[i].HighNS = &high
		}
	}
}
