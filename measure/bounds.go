package measure

import (
	"github.com/brokerbench/brokerbench/histogram/confidence"
	"github.com/brokerbench/brokerbench/results"
)

// bounds computes 95 % confidence intervals from the intervals of the window.
type bounds struct{ response, service confidence.Series }

// add adds an interval of the window.
func (b *bounds) add(interval totals) {
	b.response.Add(interval[response])
	b.service.Add(interval[service])
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
