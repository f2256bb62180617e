package measure

import (
	"math"
	"time"

	"github.com/brokerbench/brokerbench/histogram/confidence"
	"github.com/brokerbench/brokerbench/results"
)

// bounds computes 95 % confidence intervals from the intervals of the window, and what
// else shows only from one interval to the next.
type bounds struct {
	response, service confidence.Series
	pauses            pauses
	trend             trend
}

// expect says how many intervals the window has.
func (b *bounds) expect(window time.Duration) {
	n := int((window + period - 1) / period)
	b.response.Expect(n)
	b.service.Expect(n)
}

// add adds an interval of the window.
func (b *bounds) add(from time.Duration, interval totals, rest func()) {
	b.pauses.add(from, interval[response].Max())
	b.trend.add(interval[response])
	b.response.Add(interval[response])
	rest()
	b.service.Add(interval[service])
	rest()
}

// extend adds the replies that came after the window to its last interval.
func (b *bounds) extend(from time.Duration, interval totals) {
	if interval[response].Count() > 0 {
		b.pauses.extend(from, interval[response].Max())
		b.response.Extend(interval[response])
		b.service.Extend(interval[service])
	}
}

// bound writes the confidence intervals into the rows of a distribution, and how many
// independent events are above each. With few events a percentile is not trusted.
func bound(d results.Distribution, series *confidence.Series) {
	for i, row := range d.Percentiles {
		if events, ok := series.Events(row.Percentile, d.Missing); ok {
			d.Percentiles[i].Events = max(math.Round(10*events)/10, 0.1)
			d.Percentiles[i].Trusted = row.Trusted && events >= confidence.MinEvents
		}
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
