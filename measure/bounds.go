package measure

import (
	"math"
	"time"

	"github.com/brokerbench/brokerbench/histogram/confidence"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// bounds computes 95 % confidence intervals from the intervals of the window, and what
// else shows only from one interval to the next.
type bounds struct {
	response, service confidence.Series
	acks              *ackBounds // nil: the system does not acknowledge
	pauses            pauses
	trend             trend
}

// ackBounds are those of acknowledgements.
type ackBounds struct{ ack, complete confidence.Series }

// expect says how many intervals the window has.
func (b *bounds) expect(window time.Duration) {
	n := secondsOf(window)
	b.response.Expect(n)
	b.service.Expect(n)
}

// acknowledged makes bounds of acknowledgements, too.
func (b *bounds) acknowledged(window time.Duration) {
	b.acks = &ackBounds{}
	b.acks.ack.Expect(secondsOf(window))
	b.acks.complete.Expect(secondsOf(window))
}

func secondsOf(window time.Duration) int { return int((window + period - 1) / period) }

// add adds an interval of the window.
func (b *bounds) add(from time.Duration, interval totals, rest func()) {
	b.pauses.add(from, interval[response].Max())
	b.trend.add(interval[response])
	b.response.Add(interval[response])
	rest()
	b.service.Add(interval[service])
	rest()
	if b.acks != nil {
		b.acks.ack.Add(interval[ack])
		rest()
		b.acks.complete.Add(interval[complete])
		rest()
	}
}

// extend adds the replies that came after the window to its last interval.
func (b *bounds) extend(from time.Duration, interval totals) {
	if b.acks != nil && interval[ack].Count()+interval[complete].Count() > 0 {
		b.acks.ack.Extend(interval[ack])
		b.acks.complete.Extend(interval[complete])
	}
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

// distributions sums up the acknowledgements, and what is complete: acknowledged and done.
// What is neither ranks above, as messages that are not done do.
func (b *ackBounds) distributions(t totals, out load.Outcome) (acks, completes *results.Distribution) {
	a := results.NewDistribution(t[ack], out.Window.Due-out.Promises.Acked)
	bound(a, &b.ack)
	c := results.NewDistribution(t[complete], out.Window.Due-out.Promises.Kept)
	bound(c, &b.complete)
	return &a, &c
}
