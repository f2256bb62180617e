package record

import (
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// A Tally counts the messages that were done until the end of the first interval of the window, and
// of the last.
type Tally struct {
	first, last     int64
	firstTo, lastTo time.Duration
}

// Add adds an interval that ends at to. One that reaches beyond the window, after which no message is
// due, does not count.
func (t *Tally) Add(n int64, to, end time.Duration) {
	if t.firstTo != 0 && to > end+Period/20 {
		return
	}
	if t.last, t.lastTo = t.last+n, to; t.firstTo == 0 {
		t.first, t.firstTo = n, to
	}
}

// Reached returns the rate at which messages were done. From the first done to the last it is what
// the target can do in an overload; but a single late reply moves the last. So it is no less than
// the rate of messages done in time, nor than the rate after the first interval, one more or less:
// then replies that are in flight at the end do not count.
func (t *Tally) Reached(c *results.Cell, from, window time.Duration) float64 {
	rate := c.ReachedPerS
	if span := t.lastTo - from; span > 0 {
		rate = max(rate, float64(t.last)/max(span, window).Seconds())
	}
	if span := t.lastTo - t.firstTo; span > 0 {
		rate = max(rate, float64(t.last-t.first+1)/span.Seconds())
	}
	return min(rate, float64(c.Ledger.Done)/window.Seconds())
}
