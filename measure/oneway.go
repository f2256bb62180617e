package measure

import (
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// oneWay counts what a histogram cannot hold of the two halves of the way: times below zero,
// which only the clocks of two machines make.
type oneWay struct{ outward, back belowZero }

// belowZero counts times below zero. It is safe for concurrent use.
type belowZero struct{ count, least atomic.Int64 }

// keep returns a time for the histogram: 0 of one that is below, which it counts. So it ranks
// below all others, as it should.
func (b *belowZero) keep(v time.Duration) time.Duration {
	if v >= 0 {
		return v
	}
	b.count.Add(1)
	for least := b.least.Load(); int64(v) < least && !b.least.CompareAndSwap(least, int64(v)); {
		least = b.least.Load()
	}
	return 0
}

func (b *belowZero) result() results.BelowZero {
	return results.BelowZero{Count: b.count.Load(), LeastNS: b.least.Load()}
}

// describeOneWay writes the two halves of the way into a cell, if it is split.
func (in *intervals) describeOneWay(c *results.Cell, missing int64) {
	t := in.recording.totals
	if t[outward] == nil {
		return
	}
	there, again := results.NewDistribution(t[outward], missing), results.NewDistribution(t[back], missing)
	c.Outward, c.Back = &there, &again
	if c.Echo != nil && c.Echo.Clock != nil && in.recording.recorder.oneWay != nil {
		c.Echo.Clock.Outward = in.recording.recorder.oneWay.outward.result()
		c.Echo.Clock.Back = in.recording.recorder.oneWay.back.result()
	}
	c.WithholdOneWay()
}
