package search

import "math"

// phase is how far the search for one objective is.
type phase int

const (
	narrowing  phase = iota // doubling and halving, with short probes
	confirming              // a longer run at the rate that was found
	bounding                // a longer run one step above it
	done
)

// A track is the search for one objective: a bracket, which only the answers of
// probes move.
type track struct {
	cfg       Config
	objective int

	phase  phase
	kept   int    // the highest rate that is kept; 0: none yet
	above  int    // the lowest rate that is not; 0: none yet
	why    Answer // why above is not kept
	steps  int    // by which confirming moved the rate; down is negative
	proved bool   // kept was confirmed by a longer run
	lost   bool   // confirming took more than maxSteps
}

// advance goes as far as the book allows and returns the point that is to be
// measured next; unknown is false if the track is done.
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
		t.move(at.rate, answer)
	}
}

// absorb moves the bracket by what the probes of other objectives say within it.
// Where a lower rate is not kept, what is said of higher ones does not count.
func (t *track) absorb(seen book) {
	for _, rate := range seen.short() {
		if rate <= t.kept || t.above > 0 && rate >= t.above {
			continue
		}
		if answer, known := seen.decide(point{rate: rate}, t.objective); known {
			t.narrow(rate, answer)
		}
	}
}

// want returns the point that the track has to know next; more is false if it is
// done.
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

// narrowed tells whether the bracket is as narrow as it was asked for or can be.
func (t *track) narrowed() bool {
	if t.above == 0 {
		return t.kept >= t.cfg.Max
	}
	return t.kept == 0 || t.above <= t.step(t.kept, 1)
}

// step returns the rate n steps of the precision above (below, if n is negative)
// a rate, at least one op per second away and at most the highest.
func (t *track) step(rate, n int) int {
	to := float64(rate) * math.Pow(1+t.cfg.Precision, float64(n))
	if n < 0 {
		return min(rate-1, int(math.Ceil(to)))
	}
	return min(t.cfg.Max, max(rate+1, int(to)))
}

// middle returns the rate that halves the ratio of two rates that are not
// neighbours, and is neither of them.
func middle(low, high int) int {
	m := int(math.Round(math.Sqrt(float64(low) * float64(high))))
	return min(max(m, low+1), high-1)
}

// move takes the answer at the point that was wanted.
func (t *track) move(rate int, answer Answer) {
	switch t.phase {
	case narrowing:
		t.narrow(rate, answer)
	case confirming:
		t.confirm(answer)
	case bounding:
		t.bound(answer)
	case done:
	}
}

func (t *track) narrow(rate int, answer Answer) {
	if answer == Kept {
		t.kept = rate
		return
	}
	t.above, t.why = rate, answer
}
