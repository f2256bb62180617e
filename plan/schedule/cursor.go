package schedule

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"time"
)

// A Cursor walks one part of a schedule. It is a plain value: a copy walks on by
// itself from the same place. It allocates nothing and is for one goroutine at a
// time. The zero value is at the end.
type Cursor struct {
	rate, of uint64 // rate in thousandths of a message an hour
	end      time.Duration

	n     uint64 // constant and bursts: the next message's number in the whole schedule
	burst uint64 // constant and bursts: how many messages are due at once

	uneven  bool // random, or a rate that changes
	poisson bool
	course  *Course // of a rate that changes; else nil
	piece   int     // of the course: that of the last message
	at      float64 // poisson: the last message's offset, in nanoseconds; in a course, the messages before it
	gap     float64 // poisson: the mean gap, in nanoseconds
	draw    rand.PCG
}

// Cursor returns a cursor at the first message of a part. The spec must be valid.
func (s Spec) Cursor(part Part) Cursor {
	of := max(part.Of, 1)
	c := Cursor{
		rate: uint64(s.Rate.Thousandths()), of: uint64(of), end: s.Duration,
		n: uint64(part.Index), burst: s.Arrivals.burst(),
		uneven: s.Arrivals == Poisson || s.Course != nil, poisson: s.Arrivals == Poisson, course: s.Course,
		gap: float64(time.Second) * float64(of) / float64(s.Rate),
	}
	if s.Course != nil {
		c.gap = float64(of)
	}
	c.draw.Seed(s.Seed, uint64(part.Index))
	return c
}

// Next returns when the next message is due, and whether there is one.
func (c *Cursor) Next() (due time.Duration, ok bool) {
	if c.uneven {
		return c.nextUneven()
	}
	first := c.n // of its burst
	if c.burst > 1 {
		first -= c.n % c.burst
	}
	due, ok = evenDue(first, c.rate)
	if !ok || due >= c.end {
		return 0, false
	}
	c.n += c.of
	return due, true
}

// nextUneven is Next of random arrivals, and of a rate that changes.
func (c *Cursor) nextUneven() (due time.Duration, ok bool) {
	if c.poisson {
		return c.nextPoisson()
	}
	first := c.n - c.n%c.burst
	if c.piece, ok = c.course.find(first, c.piece); !ok {
		return 0, false
	}
	p := &c.course.pieces[c.piece]
	c.n += c.of
	return p.from + p.after(first-p.first), true
}

// nextPoisson adds an exponential gap, −ln(1−U)·mean for U uniform in [0, 1).
func (c *Cursor) nextPoisson() (time.Duration, bool) {
	u := float64(c.draw.Uint64()>>11) / (1 << 53)
	c.at -= math.Log1p(-u) * c.gap
	if c.course != nil {
		return c.course.random(c.at, &c.piece)
	}
	if c.at >= float64(c.end) {
		return 0, false
	}
	return time.Duration(c.at), true
}

// evenCount returns how many n ≡ Index (mod Of) are due before the end. The whole
// schedule has ceil(duration·rate) messages, or those of its course, rounded up to whole
// bursts.
func evenCount(s Spec, part Part) int {
	var all uint64
	if s.Course != nil {
		all = s.Course.count(s.Duration)
	} else {
		all = ceilCount(s.Duration, uint64(s.Rate.Thousandths()))
	}
	if burst := s.Arrivals.burst(); burst > 1 && all%burst > 0 {
		all += burst - all%burst
	}
	of, index := uint64(max(part.Of, 1)), uint64(part.Index)
	if index >= all {
		return 0
	}
	return int((all - index + of - 1) / of)
}

// ceilCount returns how many messages are due before the end at a rate in thousandths.
func ceilCount(end time.Duration, thousandths uint64) uint64 {
	hi, lo := bits.Mul64(uint64(end), thousandths)
	all, rest := bits.Div64(hi, lo, PerSecond*uint64(time.Second))
	if rest > 0 {
		all++
	}
	return all
}
