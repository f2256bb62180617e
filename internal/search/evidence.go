package search

import (
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/plan"
)

// evidence is what all windows of one rate say about one objective.
type evidence struct {
	objective plan.Objective
	length    time.Duration // of all windows
	answers   []Judgement   // of each window alone, without its seconds
	episodes  []episode     // of all windows
	overrun   bool          // the objective was broken for most of the time: nothing is a pause
	values    histogram.Sum
	whole     bool // values has those of all windows
	overloads int  // undisturbed windows in which most seconds were broken, and many more messages over the limit than allowed

	all      tally // of the episodes, in messages
	ordinary tally // of those that are no pauses
	pauses   []pause

	// The pauses in windows of other rates, and whether there are enough windows.
	pool   tally // of the pauses of all rates, in seconds
	enough bool  // so many windows, and so long, that they may decide
}

// add adds a window of that length. Exclude is the pause that an answer must exclude.
func (e *evidence) add(window time.Duration, j Judgement, exclude time.Duration) {
	e.whole = (e.whole || len(e.answers) == 0) && j.Values != nil && e.values.Add(j.Values) == nil
	e.length += window
	over, of, broken := 0., 0., 0.
	for _, s := range episodes(j.Seconds, allowed(e.objective)) {
		s.probe = len(e.answers)
		e.episodes = append(e.episodes, s)
		over, of = over+s.over, of+s.of
		if s.broken {
			broken += s.of
		}
	}
	if !j.disturbed() && broken > of/2 && over > overload*allowed(e.objective)*of {
		e.overloads++
	}
	j.Seconds, j.Values = nil, nil
	e.answers = append(e.answers, j)
	e.all = newTally(e.episodes)
	broken = 0
	for _, s := range e.episodes {
		if s.broken {
			broken += s.of
		}
	}
	e.overrun = broken > e.all.of/2
	e.sort(exclude)
}

// sort tells the pauses from the other episodes: a message took twice as long as the
// limit, or longer, and not much less than the pause to be excluded. The queue
// at one rate says nothing about other rates.
func (e *evidence) sort(exclude time.Duration) {
	e.pauses = nil
	limit := time.Duration(e.objective.Limit)
	others := make([]episode, 0, len(e.episodes))
	for _, s := range e.episodes {
		if !e.overrun && e.objective.Metric == "" && s.broken && !s.rest && s.worst >= max(2*limit, exclude/4) {
			e.pauses = append(e.pauses, pause{rate: e.all.of / e.length.Seconds(), excess: (s.worst - limit).Seconds(), over: s.over})
			s.over = 0
		}
		others = append(others, s)
	}
	e.ordinary = newTally(others)
}

// bounds returns the 99 % confidence interval of the share of messages over the limit,
// if it is measured f times as long and everything goes on as it did.
func (e evidence) bounds(f float64) bounds {
	own, others := e.ordinary.share(), e.pool.share()
	times := 1 + (f-1)*e.length.Seconds()/max(e.pool.of, 1e-9) // as long, of all rates
	return newBounds(share{
		mean:     own.mean + others.mean,
		variance: own.variance/f + others.variance/times,
		largest:  max(own.largest/f, others.largest/times, 1/max(f*e.all.of, 1)),
	})
}

// votes counts the windows that kept the objective, and those that did not for another
// reason than their share of messages over the limit, such as a rate that was not
// reached.
func (e evidence) votes() (kept, against int) {
	for _, a := range e.answers {
		switch {
		case a.Answer == Kept:
			kept++
		case !e.counted() || float64(a.Over) <= allowed(e.objective)*float64(a.Of):
			against++
		}
	}
	return kept, against
}

// overload is how many times as many messages as allowed are over the limit in an overload.
const overload = 10

// uneven tells whether the target is not the same in all windows: some are overloads, and others
// keep the objective.
func (e evidence) uneven() bool {
	return leastProbes*min(e.kept(), e.overloads) >= len(e.answers)
}

// kept counts the windows that kept the objective.
func (e evidence) kept() (n int) {
	for _, a := range e.answers {
		if a.Answer == Kept {
			n++
		}
	}
	return n
}

// counted tells whether the objective limits a share of messages: not the rate itself.
func (e evidence) counted() bool { return e.objective.Metric != "rate" }

// leansKept tells what the windows say together so far, decided or not.
func (e evidence) leansKept() bool {
	kept, against := e.votes()
	if against > kept || !e.counted() {
		return kept > against
	}
	return e.all.over <= allowed(e.objective)*e.all.of
}

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
