package schedule

import "time"

// A Counter counts the messages of one part of a schedule that are due by a moment
// that moves on. It knows the schedule, and not which messages were sent. Where a formula
// gives the count, that costs nothing; random arrivals are drawn again, some 15 ns
// each, so call it often rather than once at the end. It is for one goroutine at a time.
type Counter struct {
	spec Spec
	part Part

	// Random arrivals only.
	cursor Cursor
	next   time.Duration
	more   bool
	passed int
}

// Counter returns a counter of a part. The spec must be valid.
func (s Spec) Counter(part Part) Counter {
	c := Counter{spec: s, part: part}
	if s.Arrivals == Poisson {
		c.cursor = s.Cursor(part)
		c.next, c.more = c.cursor.Next()
	}
	return c
}

// Until returns how many messages are due before to, which must not go back.
func (c *Counter) Until(to time.Duration) int {
	if c.spec.Arrivals != Poisson {
		spec := c.spec
		spec.Duration = min(max(to, 0), spec.Duration)
		return evenCount(spec, c.part)
	}
	for c.more && c.next < to {
		c.passed++
		c.next, c.more = c.cursor.Next()
	}
	return c.passed
}
