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

	poisson bool
	at      float64 // poisson: the last message's offset, in nanoseconds
	gap     float64 // poisson: the mean gap, in nanoseconds
	draw    rand.PCG
}

// Cursor returns a cursor at the first message of a part. The spec must be valid.
func (s Spec) Cursor(part Part) Cursor {
	of := max(part.Of, 1)
	c := Cursor{
		rate: uint64(s.Rate.Thousandths()), of: uint64(of), end: s.Duration,
		n: uint64(part.Index), burst: s.Arrivals.burst(),
		poisson: s.Arrivals == Poisson,
		gap:     float64(time.Second) * float64(of) / float64(s.Rate),
	}
	c.draw.Seed(s.Seed, uint64(part.Index))
	return c
}

// Next returns when the next message is due, and whether there is one.
func (c *Cursor) Next() (due time.Duration, ok bool) {
	if c.poisson {
		return c.nextPoisson()
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

// nextPoisson adds an exponential gap, −ln(1−U)·mean for U uniform in [0, 1).
func (c *Cursor) nextPoisson() (time.Duration, bool) {
	u := float64(c.draw.Uint64()>>11) / (1 << 53)
	c.at -= math.Log1p(-u) * c.gap
	if c.at >= float64(c.end) {
		return 0, false
	}
	return time.Duration(c.at), true
}

// evenCount returns how many n ≡ Index (mod Of) are due before the end. The whole
// schedule has ceil(duration·rate) messages, rounded up to whole bursts.
func evenCount(s Spec, part Part) int {
	hi, lo := bits.Mul64(uint64(s.Duration), uint64(s.Rate.Thousandths()))
	all, rest := bits.Div64(hi, lo, PerSecond*uint64(time.Second))
	if rest > 0 {
		all++
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
