package schedule

import (
	"math"
	"math/bits"
	"slices"
	"sort"
	"time"
)

// A Course says when messages are due at a rate that changes. It is made of pieces, of
// which each begins with a message. It does not change.
type Course struct{ pieces []piece }

// A piece has one rate, or one that goes evenly from the first to the second, or its
// own times.
type piece struct {
	from, long time.Duration
	a, b       uint64          // rates in thousandths
	due        []time.Duration // of a trace, from the piece's beginning; else nil
	first      uint64          // the number of its first message
	count      uint64          // of its messages
	before     float64         // messages before it as their mean has it, for random arrivals
}

// NewCourse returns the course of a warm-up at the rate with which the legs begin, and
// then of the legs.
func NewCourse(warmup time.Duration, legs []Leg) *Course {
	c := new(Course)
	if warmup > 0 && len(legs) > 0 {
		c.add(piece{long: warmup, a: uint64(legs[0].From.Thousandths()), b: uint64(legs[0].From.Thousandths())})
	}
	for _, l := range legs {
		c.add(piece{long: l.For, a: uint64(l.From.Thousandths()), b: uint64(l.To.Thousandths())})
	}
	return c
}

// TraceCourse returns the course of a warm-up at a rate, and then of messages that are
// due at times.
func TraceCourse(warmup time.Duration, rate Rate, due []time.Duration, long time.Duration) *Course {
	c := new(Course)
	if warmup > 0 {
		c.add(piece{long: warmup, a: uint64(rate.Thousandths()), b: uint64(rate.Thousandths())})
	}
	c.add(piece{long: long, due: due})
	return c
}

// add adds a piece behind the others.
func (c *Course) add(p piece) {
	if n := len(c.pieces); n > 0 {
		last := c.pieces[n-1]
		p.from, p.first, p.before = last.from+last.long, last.first+last.count, last.before+last.mean()
	}
	p.count = uint64(len(p.due))
	if p.due == nil { // (a + b)/2 · long, rounded up
		hi, lo := bits.Mul64(uint64(p.long), p.a+p.b)
		whole, rest := bits.Div64(hi, lo, 2*PerSecond*uint64(time.Second))
		if p.count = whole; rest > 0 {
			p.count++
		}
	}
	c.pieces = append(c.pieces, p)
}

// mean returns how many messages the piece has, not rounded.
func (p piece) mean() float64 {
	if p.due != nil {
		return float64(len(p.due))
	}
	return (float64(p.a) + float64(p.b)) / 2 / PerSecond * p.long.Seconds()
}

// find returns the piece of message n, from the piece at on, and whether there is one.
func (c *Course) find(n uint64, at int) (int, bool) {
	for at < len(c.pieces) && n >= c.pieces[at].first+c.pieces[at].count {
		at++
	}
	return at, at < len(c.pieces)
}

// after returns when message n of the piece is due, from the piece's beginning.
func (p *piece) after(n uint64) time.Duration {
	switch {
	case p.due != nil:
		return p.due[n]
	case p.a == p.b:
		due, _ := evenDue(n, p.a)
		return due
	}
	return p.ramped(float64(n))
}

// ramped solves a·t + k·t²/2 = n for t, in a form that subtracts no two numbers alike,
// rounded down to nanoseconds. Its error is far below one where a day has 10¹⁴ of them.
func (p *piece) ramped(n float64) time.Duration {
	a, b := float64(p.a)/PerSecond, float64(p.b)/PerSecond
	k := (b - a) / p.long.Seconds()
	t := 2 * n / (a + math.Sqrt(max(a*a+2*k*n, 0)))
	return min(time.Duration(t*1e9), p.long-1)
}

// count returns how many messages are due before to.
func (c *Course) count(to time.Duration) uint64 {
	i := sort.Search(len(c.pieces), func(i int) bool { return c.pieces[i].from >= to }) - 1
	if i < 0 {
		return 0
	}
	p := &c.pieces[i]
	to -= p.from
	switch {
	case to >= p.long:
		return p.first + p.count
	case p.due != nil:
		n, _ := slices.BinarySearch(p.due, to)
		return p.first + uint64(n)
	case p.a == p.b:
		return p.first + ceilCount(to, p.a)
	}
	return p.first + uint64(sort.Search(int(p.count), func(n int) bool { return p.ramped(float64(n)) >= to }))
}

// random returns when a message is due that has so many before it on average; ok is
// false at the end.
func (c *Course) random(before float64, at *int) (due time.Duration, ok bool) {
	for *at < len(c.pieces) && before >= c.pieces[*at].before+c.pieces[*at].mean() {
		*at++
	}
	if *at == len(c.pieces) {
		return 0, false
	}
	p := &c.pieces[*at]
	if before -= p.before; p.a != p.b {
		return p.from + p.ramped(before), true
	}
	return p.from + min(time.Duration(before/(float64(p.a)/PerSecond)*1e9), p.long-1), true
}
