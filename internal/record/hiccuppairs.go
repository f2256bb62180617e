package record

import (
	"maps"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// HiccupPairs counts the intervals of the window by their longest response and the longest hiccup
// that came with it, both in steps of 9 %. Its size does not depend on the length of the run. The
// zero value is ready for use.
type HiccupPairs struct{ counts map[hiccupPair]int }

type hiccupPair struct{ response, hiccup int }

// Add adds an interval; one without a response does not count.
func (p *HiccupPairs) Add(response, hiccup time.Duration) {
	if response <= 0 {
		return
	}
	if p.counts == nil {
		p.counts = make(map[hiccupPair]int)
	}
	p.counts[hiccupPair{StepOf(response), StepOf(hiccup)}]++
}

// Tail compares the hiccups of the worst intervals, leastWorst or more, with those of the others. In an interval
// with a hiccup it was half of the response or more.
func (p *HiccupPairs) Tail(leastWorst int) *results.Tail {
	worst := p.worst(leastWorst)
	t := &results.Tail{ThresholdNS: LeastIn(worst)}
	const half = -HalfSteps
	for at, n := range p.counts {
		if at.response >= worst {
			t.Intervals += n
			if at.hiccup >= at.response+half {
				t.WithHiccup += n
			}
			continue
		}
		t.Ordinary += n
		if at.hiccup >= worst+half {
			t.OrdinaryWithHiccup += n
		}
	}
	return t
}

// worst returns the step from which on a tenth of the intervals have their longest
// response, and so many at least. It is that of all intervals if so they are more
// than half: then there is nothing to compare them with.
func (p *HiccupPairs) worst(least int) (step int) {
	all := 0
	perStep := make(map[int]int, len(p.counts))
	for at, n := range p.counts {
		all += n
		perStep[at.response] += n
	}
	n := 0
	for _, step = range slices.Backward(slices.Sorted(maps.Keys(perStep))) {
		if n += perStep[step]; n >= max(all/10, least) && n <= all/2 {
			break
		}
	}
	return step
}
