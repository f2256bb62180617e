package measure

import (
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// oneWay counts the one-way times that a histogram cannot hold: those below zero, which appear
// only between the clocks of two machines.
type oneWay struct{ outward, back belowZero }

// belowZero counts times below zero. It is safe for concurrent use.
type belowZero struct{ count, least atomic.Int64 }

// keep returns a time for the histogram: 0 for a time below zero, which it counts. It then ranks
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

// describe writes the times below zero into a cell, and withholds what its clocks cannot tell.
func (w *oneWay) describe(c *results.Cell) {
	if w == nil {
		return
	}
	if c.Echo != nil && c.Echo.Clock != nil {
		c.Echo.Clock.Outward, c.Echo.Clock.Back = w.outward.result(), w.back.result()
	}
	c.WithholdOneWay()
}
