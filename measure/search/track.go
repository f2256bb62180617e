package search

import (
	"maps"
	"math"
	"slices"
)

// phase is how far the search for an objective has come.
type phase int

const (
	narrowing  phase = iota // doubling the rate and halving the bracket, with short probes
	confirming              // a longer run at the rate that was found
	bounding                // a longer run one step above it
	done
)

// A track is the search for one objective: a bracket that moves with the answers
// of the probes.
type track struct {
	cfg       Config
	objective int

	phase  phase
	kept   int    // the highest rate that keeps the objective; 0: none yet
	above  int    // the lowest rate that does not; 0: none yet
	why    Answer // the answer at above
	steps  int    // by which confirming moved the rate; negative is down
	proved bool   // a longer run confirmed kept
	lost   bool   // confirming moved the rate by more than maxSteps
}

// advance goes as far as the book allows and returns the point to be measured
// next; unknown is false if the track is done.
func (t *track) advance(seen book) (at point, unknown bool) {
	for {
		if t.phase == narrowing {
			t.absorb(seen)
		}
		at, more := t.want()
		if !more {
			return point{}, false
		}
		answer, known := seen.decide(at, t.objective)
		if !known {
			return at, true
		}
		switch t.phase {
		case narrowing:
			t.narrow(at.rate, answer)
		case confirming:
			t.confirm(answer)
		case bounding:
			t.bound(answer)
		case done:
		}
	}
}

// absorb narrows the bracket with the probes that other objectives asked for. A
// rate above one that is not kept does not count, whatever its probes say.
func (t *track) absorb(seen book) {
	for _, at := range slices.SortedFunc(maps.Keys(seen), func(p, q point) int { return p.rate - q.rate }) {
		if at.long || at.rate <= t.kept || t.above > 0 && at.rate >= t.above {
			continue
		}
		if answer, known := seen.decide(at, t.objective); known {
			t.narrow(at.rate, answer)
		}
	}
}

// want returns the point whose answer the track needs next; more is false if the
// track is done.
func (t *track) want() (at point, more bool) {
	if t.phase == narrowing && t.narrowed() {
		t.phase = confirming
		if t.kept == 0 {
			t.phase = done // not even the lowest
		}
	}
	switch t.phase {
	case confirming:
		return point{t.kept, true}, true
	case bounding:
		return point{t.above, true}, true
	case done:
		return point{}, false
	case narrowing:
	}
	switch {
	case t.kept == 0:
		return point{rate: t.cfg.From}, true
	case t.above == 0:
		return point{rate: min(2*t.kept, t.cfg.Max)}, true
	}
	return point{rate: middle(t.kept, t.above)}, true
}

// narrowed tells whether the bracket is as narrow as the precision asks, or as it
// can be.
func (t *track) narrowed() bool {
	if t.above == 0 {
		return t.kept >= t.cfg.Max
	}
	return t.kept == 0 || t.above <= t.step(t.kept, 1)
}

// step returns the rate that is n steps of the precision above a rate, or below it
// if n is negative. It differs by at least one message per second, and is at most
// the highest rate of the search.
func (t *track) step(rate, n int) int {
	to := float64(rate) * math.Pow(1+t.cfg.Precision, float64(n))
	if n < 0 {
		return min(rate-1, int(math.Ceil(to)))
	}
	return min(t.cfg.Max, max(rate+1, int(to)))
}

// middle returns the geometric mean of two rates. It is neither of them, unless
// they are neighbours.
func middle(low, high int) int {
	m := int(math.Round(math.Sqrt(float64(low) * float64(high))))
	return min(max(m, low+1), high-1)
}

func (t *track) narrow(rate int, answer Answer) {
	if answer == Kept {
		t.kept = rate
		return
	}
	t.above, t.why = rate, answer
}
