package search

// contradiction returns the highest rate that is decided to keep the objective and the lowest that is
// decided to miss it, if the latter is lower; ok is false if it is not. It does not count what the client missed.
func (t track) contradiction() (kept, missed int, ok bool) {
	for _, rate := range t.seen.measured() {
		switch answer, decided := t.at(rate).decide(); {
		case !decided:
		case answer == Kept:
			kept = rate
		case answer == Missed && missed == 0:
			missed = rate
		}
	}
	return kept, missed, missed > 0 && kept > missed
}

// turns is how often a contradiction goes from one of its rates to the other: a target that became slower
// or faster once, with the time and not with the rate, does not return.
const turns = 3

// again returns what is to be measured next about a contradiction; more is false once there were enough
// turns.
func (t track) again(kept, missed int) (w wish, more bool) {
	last, n := 0, -1
	for _, rate := range t.seen.order {
		if rate != last && (rate == kept || rate == missed) {
			last, n = rate, n+1
		}
	}
	return t.decide(kept + missed - last), n < turns
}

// opposed tells whether a contradiction is the result.
func (t track) opposed() bool {
	kept, missed, ok := t.contradiction()
	if ok {
		_, ok = t.again(kept, missed)
		return !ok
	}
	return false
}

// around returns what is to be measured next when the bracket is the result, to show that lower rates
// are no worse: rates below the one that is kept; or, if the lowest rate is missed without an overload, higher
// ones. More is false if nothing is.
func (t track) around(s bracket) (w wish, more bool) {
	var rates []int
	switch {
	case s.kept > 0:
		rates = []int{t.cfg.From, middle(t.cfg.From, s.kept)}
	case s.why == Missed && t.at(s.missed).overloads == 0:
		rates = []int{4 * s.missed, 16 * s.missed}
	}
	for _, rate := range rates {
		e := t.at(rate)
		_, decided := e.decide()
		switch {
		case rate == s.kept || rate > t.cfg.Max || rate < t.cfg.From:
		case len(e.answers) == 0:
			return t.look(rate, s), true
		case !decided && e.leansKept() != (s.kept > 0) && e.length < longest:
			return t.decide(rate), true
		}
	}
	return wish{}, false
}
