package canary

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
)

// missing says what kind of time it is in which no turn sends.
type missing int

const (
	undecided missing = iota // it is not known until an attempt to set up a turn has ended
	gap                      // the canary did not measure
	outage                   // no connection could be set up
)

// due returns how many messages are due in a time.
func (c *canary) due(d time.Duration) int64 {
	counter := c.spec.Counter(schedule.Part{})
	return int64(counter.Until(d))
}

// wallOf returns the wall clock at a moment of this process.
func (c *canary) wallOf(at time.Time) time.Time { return c.baseWall.Add(at.Sub(c.base) + c.drift) }

// step follows the wall clock. Where it was set ahead, or the machine slept, time passed that was not measured.
func (c *canary) step(now time.Time) {
	was := c.wallOf(now)
	by := c.Wall().Round(0).Sub(was)
	c.drift += by
	switch {
	case by > stepLimit:
		const cause = "the clock was set ahead, or the machine slept"
		c.span(gap, was, was.Add(by), cause, func(d time.Duration) int64 { return c.due(d) })
		c.Say(fmt.Sprintf("%s: %v are not measured", cause, by.Round(time.Second)))
	case by < -stepLimit:
		c.page(HourOf(was)).noteAt(was, "the clock was set back by %v", -by)
		c.page(HourOf(was)).dirty = true
	}
}

// span accounts for time in which no turn sent, by the wall clock. due returns how many messages were due until so long
// after its beginning.
func (c *canary) span(kind missing, from, to time.Time, cause string, due func(time.Duration) int64) {
	for at := from; at.Before(to); {
		p := HourOf(at)
		if day := p.Day(); at.Equal(day.Start()) && !day.End().After(to) {
			p = day
		}
		until := p.End()
		if until.After(to) {
			until = to
		}
		s := Span{From: at, To: until, Cause: c.Redact(cause), Due: due(until.Sub(from)) - due(at.Sub(from))}
		book := c.page(p)
		if book.dirty = true; kind == gap {
			book.gap(s)
			c.sum.NotMeasured, c.sum.Unmeasured = c.sum.NotMeasured+s.Due, c.sum.Unmeasured+until.Sub(at)
		} else {
			book.outage(s)
			c.sum.Ledger.Add(load.Ledger{Due: s.Due, Unsent: s.Due})
		}
		at = until
	}
}

// account accounts for the time until a moment in which no turn sent.
func (c *canary) account(to time.Time) {
	if !to.After(c.covered) {
		return
	}
	before, from := c.counted, c.covered.Sub(c.since)
	c.span(c.kind, c.wallOf(c.covered), c.wallOf(to), c.cause, func(d time.Duration) int64 {
		if d == 0 {
			return before
		}
		return c.due(from + d)
	})
	c.counted, c.covered = c.due(to.Sub(c.since)), to
}

// uncovered begins a time in which no turn sends.
func (c *canary) uncovered(from time.Time, kind missing, cause string) {
	c.covered, c.since, c.counted, c.kind, c.cause = from, from, 0, kind, cause
}

// idle begins a time in which no turn sends, because the next is not set up. It is an outage if attempts have failed.
func (c *canary) idle(from time.Time) {
	if c.uncovered(from, undecided, "the next turn was not set up in time"); c.fails > 0 {
		c.kind, c.cause = c.failing, c.failure
	}
}
