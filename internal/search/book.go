package search

import (
	"maps"
	"math"
	"slices"
	"time"
)

// A book holds the evidence of each rate for each objective.
type book struct {
	cfg   Config
	rates map[int][]windows
	order []int         // the rate of each probe
	spent time.Duration // on all probes, with their warm-up and what else they took
	extra time.Duration // what a probe took at most besides its window and rest
	rest  time.Duration // before the next probe
}

func newBook(cfg Config) *book { return &book{cfg: cfg, rates: make(map[int][]windows)} }

func (b *book) add(p Probe) {
	b.spent, b.extra = b.spent+p.Took, max(b.extra, p.Took-p.Window-p.Rest)
	if p.Spoiled {
		return
	}
	b.order = append(b.order, p.Rate)
	if b.rates[p.Rate] == nil {
		b.rates[p.Rate] = make([]windows, len(b.cfg.Objectives))
	}
	for i := range b.rates[p.Rate] {
		b.rates[p.Rate][i].add(p, i, b.cfg)
	}
}

// left returns how long the windows of the search may still be.
func (b *book) left() time.Duration { return b.cfg.AtMost - b.spent - b.extra - b.rest }

// measured returns the rates that have evidence, the lowest first.
func (b *book) measured() []int { return slices.Sorted(maps.Keys(b.rates)) }

// evidence returns what is known of an objective at a rate, with what the windows of
// other rates add.
func (b *book) evidence(rate, objective int) evidence {
	if b.rates[rate] == nil {
		return evidence{objective: b.cfg.Objectives[objective]}
	}
	return b.complete(b.rates[rate][objective].judged(), rate, objective)
}

// complete adds to the evidence of a rate what the windows of other rates say.
func (b *book) complete(e evidence, rate, objective int) evidence {
	e.enough = len(e.answers) >= b.needed(objective) && e.length >= b.cfg.Confirm
	if e.objective.Metric == "" {
		e.pool = b.pool(rate, objective)
	}
	return e
}

// needed returns how many windows decide about a rate. Where two or more windows are overloads
// although others at the same rate or a higher one kept the objective, the target is not always
// as fast, and few windows may all have met it when it is.
func (b *book) needed(objective int) int {
	highest, overloads := 0, 0
	for rate, list := range b.rates {
		if list[objective].judged().kept() > 0 {
			highest = max(highest, rate)
		}
	}
	for rate, list := range b.rates {
		if rate <= highest {
			overloads += list[objective].own.overloads
		}
	}
	if overloads < 2 {
		return leastProbes
	}
	return 4 * leastProbes
}

// pool returns what is known about pauses that may happen at a rate, in seconds: those
// at other rates would have happened at this one, too, but leave another queue behind.
// Those at higher rates do not count if there were so many more that they come from
// the rate. The largest is at least the one to be excluded.
func (b *book) pool(rate, objective int) tally {
	var here, above []pause
	var timeHere, timeAbove time.Duration
	carried := rate
	for r, list := range b.rates {
		e := list[objective].own
		if r == rate {
			e = list[objective].judged()
		}
		if len(e.answers) == 0 {
			continue
		}
		if !e.overrun {
			carried = max(carried, r)
		}
		switch {
		case r == rate || r < rate && !e.overrun:
			here, timeHere = append(here, e.pauses...), timeHere+e.length
		case !e.overrun:
			above, timeAbove = append(above, e.pauses...), timeAbove+e.length
		}
	}
	if !fewer(len(here), len(above), timeHere, timeAbove) {
		here, timeHere = append(here, above...), timeHere+timeAbove
	}
	limit := time.Duration(b.cfg.Objectives[objective].Limit)
	p := tally{of: timeHere.Seconds(), largest: max((b.cfg.Pause - limit).Seconds(), 0)}
	for _, s := range here {
		took := s.at(rate, carried)
		p.over, p.variance, p.largest = p.over+took, p.variance+took*took, max(p.largest, took)
	}
	return p
}

// fewer tells whether n events in a time are fewer than m in another, beyond what
// chance does in 1 of 1,000 cases: given how many there are, each falls into the first
// with a probability of its part of the time. It is asked at every rate of a search,
// which goes where pauses seem to begin, so 1 of 40 would not do.
func fewer(n, m int, first, second time.Duration) bool {
	part := first.Seconds() / max((first+second).Seconds(), 1e-9)
	sum, term := 0.0, math.Pow(1-part, float64(n+m))
	for k := range n + 1 {
		sum += term
		term *= float64(n+m-k) / float64(k+1) * part / max(1-part, 1e-9)
	}
	return m > 0 && sum < 0.001
}
