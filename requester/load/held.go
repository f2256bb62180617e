package load

import "time"

// A punctual sender loses no time itself: it calls Request when an op is due, or
// as soon as the Request before has returned. So it tells how long the ops of a real
// sender are held up by calls of Request alone; their wait beyond that is the real
// sender's lag. It is Lindley's recursion (Proc. Camb. Phil. Soc. 48, 1952) with the
// calls as service times. The zero value has sent nothing.
type punctual struct {
	free time.Duration // when its last Request returns
}

// held returns how long the op that is due next waits for the calls before it.
func (p *punctual) held(due time.Duration) time.Duration { return max(0, p.free-due) }

// called adds the call for an op, which took so long.
func (p *punctual) called(due, took time.Duration) { p.free = max(p.free, due) + took }

// waits adds up for how long ops were held up. The sums of an overload exceed
// a time.Duration.
type waits struct{ held, byOthers float64 }

func (w *waits) add(other waits) {
	w.held += other.held
	w.byOthers += other.byOthers
}

// share returns the share of all waits that other connections caused.
func (w *waits) share() float64 {
	if w.held == 0 {
		return 0
	}
	return w.byOthers / w.held
}

// A short is a duration of up to 78 hours in 6 B: with it an op in flight takes 24 B.
type short [3]uint16

func shorten(d time.Duration) short {
	d = min(d, 1<<48-1)
	return short{uint16(d), uint16(d >> 16), uint16(d >> 32)}
}

func (s short) duration() time.Duration {
	return time.Duration(s[0]) | time.Duration(s[1])<<16 | time.Duration(s[2])<<32
}
