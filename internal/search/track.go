package search

import (
	"math"
	"time"
)

// A wish is what a track needs next: a window at a rate, either to find its way or to
// decide about the rate.
type wish struct {
	rate   int
	window time.Duration
	decide bool
}

// before orders wishes in the order of measuring, so that objectives share as many
// probes as they can: finding the way comes first, and low rates do.
func (w wish) before(other wish) bool {
	if w.decide != other.decide {
		return other.decide
	}
	return w.rate < other.rate
}

// A track is the search for one objective. It holds no state: the next step follows
// from all that was measured, so that evidence which changes a leaning changes the way.
type track struct {
	cfg       Config
	objective int
	seen      *book
}

// A bracket is where the rates stand.
type bracket struct {
	kept   int    // the highest rate that is decided to keep the objective; 0: none yet
	missed int    // the lowest that is decided not to keep it; 0: none yet
	why    Answer // the answer at missed
	low    int    // the highest rate under high that keeps it as far as is known; 0: none yet
	high   int    // the lowest above kept that does not, as far as is known; 0: none yet
}

// survey returns where the rates stand. If evidence contradicts itself, a rate that
// does not keep the objective overrules higher ones that do.
func (t track) survey() (s bracket) {
	rates := t.seen.measured()
	for _, rate := range rates {
		if answer, decided := t.at(rate).decide(); decided && answer != Kept {
			s.missed, s.why = rate, answer
			break
		} else if decided {
			s.kept = rate
		}
	}
	s.low = s.kept
	for _, rate := range rates {
		if rate <= s.kept {
			continue
		}
		if rate == s.missed || !t.at(rate).leansKept() {
			s.high = rate
			break
		}
		if t.lacks(rate, s.missed) == 0 {
			s.low = rate
		}
	}
	return s
}

func (t track) at(rate int) evidence { return t.seen.evidence(rate, t.objective) }

// lacks returns how much longer a rate must be measured until its leaning counts: if a rare
// pause breaks the objective at another rate, a short window without a pause proves nothing.
func (t track) lacks(rate, missed int) time.Duration {
	if missed == 0 {
		return 0
	}
	return max(t.at(missed).rareAs()-t.at(rate).length, 0)
}

// over tells whether the bracket is the result.
func (t track) over(s bracket) bool {
	return s.missed > 0 && s.missed <= t.cfg.From || s.kept >= t.cfg.Max || s.kept > 0 && s.missed > 0 && t.close(s.kept, s.missed)
}

// next returns what is to be measured next; more is false if the track is done.
func (t track) next() (w wish, more bool) {
	s := t.survey()
	if kept, missed, ok := t.contradiction(); ok {
		return t.again(kept, missed)
	}
	switch {
	case t.over(s):
		return t.around(s)
	case s.low == 0 && s.high == 0:
		return t.look(t.cfg.From, s), true
	case s.high == 0 && s.low < t.cfg.Max:
		return t.look(min(2*s.low, t.cfg.Max), s), true
	case s.high == 0:
		return t.decide(t.cfg.Max), true
	case s.low == 0 && s.high > t.cfg.From:
		return t.look(t.cfg.From, s), true
	case s.low > 0 && !t.close(s.low, s.high):
		return t.look(middle(s.low, s.high), s), true
	}
	return t.settle(s)
}

// look returns a wish that finds the way: a short window, or as long as a rare pause
// takes to show.
func (t track) look(rate int, s bracket) wish {
	return wish{rate: rate, window: t.limited(max(t.cfg.window(rate), t.lacks(rate, s.missed)))}
}

// close tells whether two rates are as near as the precision asks, or as they can be.
func (t track) close(low, high int) bool { return high <= t.step(low, 1) }

// step returns the rate that is n steps of the precision above a rate, or below it
// if n is negative. Unless n is 0 it differs by at least one message per second. It is
// at most the highest rate of the search.
func (t track) step(rate int, n float64) int {
	to := float64(rate) * math.Pow(1+t.cfg.Precision, n)
	switch {
	case n == 0:
		return rate
	case n < 0:
		return min(rate-1, int(math.Ceil(to-1e-6)))
	}
	return min(t.cfg.Max, max(rate+1, int(to+1e-6)))
}

// middle returns the geometric mean of two rates. It is neither of them, unless
// they are neighbours.
func middle(low, high int) int {
	m := int(math.Round(math.Sqrt(float64(low) * float64(high))))
	return min(max(m, low+1), high-1)
}
