package search

import (
	"math"
	"time"
)

// settle returns what decides about a rate on each side of the limit. First comes the
// rate that does not keep the objective, then the one a step below it, which is as far
// from the limit as the precision allows; if the first is an overload, they take turns, so that
// each shows what the other did to the target. Where the share is so near the allowed one
// that a minute did not decide it, rates further from the limit are taken, which gives
// a wider bracket; a step from the other end of that may do better. The time that is left
// is for the rate that needs the least of it. More is false if that is far more than
// is left.
func (t track) settle(s bracket) (w wish, more bool) {
	for n := range backoff {
		up, more := t.step(s.high, n), s.high != s.missed
		if more = more && t.open(up, s); !more && s.kept > 0 {
			up = t.step(s.kept, 1)
			more = up > s.low && t.open(up, s)
		}
		down := max(t.step(t.step(s.high, -1), -n), t.cfg.From)
		if t.open(down, s) && (!more || t.at(up).overloads > 0 && len(t.at(down).answers) < len(t.at(up).answers)) {
			return t.decide(down), true
		}
		if more {
			return t.decide(up), true
		}
	}
	return t.quickest(s)
}

// backoff yields how many steps to go away from the limit.
func backoff(yield func(steps float64) bool) {
	for steps := 0.0; steps < 100 && yield(steps); steps = max(2*steps, 0.5) {
	}
}

// open tells whether a rate between those that are decided is worth a look: it is not
// near the limit as far as is known. If no rate is decided not to keep the objective,
// one stall may be in the way, so there is more patience.
func (t track) open(rate int, s bracket) bool {
	e, patience := t.at(rate), longest
	if s.missed == 0 {
		patience *= 4
	}
	return rate > s.kept && (s.missed == 0 || rate < s.missed) && (e.length < patience || !e.near()) && (!e.enough || !e.uneven())
}

// quickest returns the rate between those that are decided which needs the least time.
func (t track) quickest(s bracket) (w wish, more bool) {
	least := time.Duration(math.MaxInt64)
	for _, rate := range t.seen.measured() {
		if rate <= s.kept || s.missed > 0 && rate >= s.missed {
			continue
		}
		if longer := t.at(rate).longer(); longer > 0 && longer < least {
			w, least = t.decide(rate), longer
		}
	}
	return w, least < 3*t.seen.left()
}

// decide returns a wish that decides about a rate: as long as it will take, or else as
// long again as so far.
func (t track) decide(rate int) wish {
	e := t.at(rate)
	window := e.longer()
	if window == 0 {
		window = e.length
	}
	if left := leastProbes - len(e.answers); left > 0 {
		window = max(window, t.cfg.Confirm-e.length) / time.Duration(left)
	}
	return wish{rate: rate, decide: true, window: t.limited(max(window, t.cfg.window(rate)))}
}

// limited returns a window of whole tenths of a second that is not too long.
func (t track) limited(window time.Duration) time.Duration {
	const tenth = time.Second / 10
	return min((window + tenth - 1).Truncate(tenth), t.cfg.longest())
}
