package search

import (
	"time"

	"github.com/brokerbench/brokerbench/internal/judge"
	"github.com/brokerbench/brokerbench/plan"
)

const (
	// longestEpisode is how many neighbouring seconds make one episode at most. What
	// lasts longer is not a rare event.
	longestEpisode = 5
	// minEpisodes is how many episodes show how they vary.
	minEpisodes = 3
)

// An episode is a second of a window, or neighbouring seconds that all broke the
// objective: one pause, and the queue that it left, count once.
type episode struct {
	over, of float64 // messages
	worst    time.Duration
	broken   bool // more messages were over the limit than the objective allows
	probe    int  // the number of its window
	rest     bool // it goes on with the episode before, which was long enough
}

// episodes divides the seconds of a window.
func episodes(window []judge.Second, allowed float64) (list []episode) {
	length := 0 // of the episode under way, if it is broken
	for _, s := range window {
		broken := float64(s.Over) > allowed*float64(s.Of)
		if !broken || length == 0 || length == longestEpisode {
			list = append(list, episode{broken: broken, rest: broken && length == longestEpisode})
			length = 0
		}
		last := &list[len(list)-1]
		last.over, last.of, last.worst = last.over+float64(s.Over), last.of+float64(s.Of), max(last.worst, s.Worst)
		if broken {
			length++
		}
	}
	return list
}

// A pause is an episode in which messages took twice as long as the limit, or longer.
type pause struct {
	rate   float64 // messages per second
	excess float64 // by how much the longest exceeded the limit, in seconds
	over   float64 // messages over the limit
}

// at returns for how long messages would exceed the limit if the pause came at another
// rate, in seconds. A system that can take C messages per second works off what a pause
// of a time t left behind in t/(1−rate/C). C follows from how long it took, and is at
// least the rate that was carried: two pauses in a row take longer for another reason.
// Where it took no longer than the pause, there is nothing to follow.
func (p pause) at(rate, carried int) float64 {
	took := p.over / p.rate
	if took <= p.excess {
		return took
	}
	part := min((1-p.excess/took)/p.rate, 1/float64(carried)) // 1/C
	other := min(p.excess/max(1-float64(rate)*part, 1e-9), longestEpisode)
	if float64(rate) >= p.rate {
		return max(other, took)
	}
	return min(other, took)
}

// allowed returns the share of messages that an objective allows over its limit. A
// share in percent has the rounding of a float64, which decides nothing.
func allowed(o plan.Objective) float64 {
	switch o.Metric {
	case "loss":
		return o.Limit
	case "rate":
		return 1 - o.Limit
	}
	return max(1-o.Percentile/100, 0)
}
