package search

import "time"

// near reports whether the share is so close to the allowed one that its own interval,
// without anything unseen, holds both answers.
func (e evidence) near() bool {
	b := newBounds(e.all.share())
	return e.counted() && b.low <= allowed(e.objective) && b.high >= allowed(e.objective)
}

// longer returns how much longer the rate must be measured to decide, if everything
// goes on as it did; 0 if that cannot be told.
func (e evidence) longer() time.Duration {
	limit := allowed(e.objective)
	if !e.counted() || limit <= 0 || len(e.episodes) < minEpisodes {
		return 0
	}
	for f := 1.05; f < mostTimes; f *= 1.05 {
		if b := e.bounds(f); b.low > limit || b.high < limit {
			return time.Duration((f - 1) * float64(e.length))
		}
	}
	return 0
}

// mostTimes is how many times longer than so far a rate is ever said to need.
const mostTimes = 2000

// rareAs returns how long a window must be to hold an episode with a good chance, if
// they come as often as here: where the objective is broken for most of the time, no
// longer than any window.
func (e evidence) rareAs() time.Duration {
	broken, good, all := 0, 0.0, 0.0
	for _, s := range e.episodes {
		if all += s.of; s.broken {
			broken++
		} else {
			good += s.of
		}
	}
	if broken == 0 {
		return 0
	}
	return time.Duration(hits * float64(e.length) * good / all / float64(broken))
}

// hits is how many episodes a window must expect to be likely to see one: it sees none
// in a fifth of all cases.
const hits = 1.5
