package judge

import (
	"maps"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/results"
)

// hiccupPairs counts the intervals of the window by their longest response and the longest hiccup
// that came with it, both in steps of 9 %. Its size does not depend on the length of the run. The
// zero value is ready for use.
type hiccupPairs struct{ counts map[hiccupPair]int }

type hiccupPair struct{ response, hiccup int }

func (p *hiccupPairs) add(response, hiccup time.Duration) {
	if response <= 0 {
		return
	}
	if p.counts == nil {
		p.counts = make(map[hiccupPair]int)
	}
	p.counts[hiccupPair{record.StepOf(response), record.StepOf(hiccup)}]++
}

// tail compares the hiccups of the worst intervals with those of the others.
func (p *hiccupPairs) tail() *results.Tail {
	worst := p.worst()
	t := &results.Tail{ThresholdNS: record.LeastIn(worst)}
	const half = -record.HalfSteps // hiccupShare, in steps
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
// response, and worstSeconds at least. It is that of all intervals if so they are more
// than half: then there is nothing to compare them with.
func (p *hiccupPairs) worst() (step int) {
	all := 0
	perStep := make(map[int]int, len(p.counts))
	for at, n := range p.counts {
		all += n
		perStep[at.response] += n
	}
	n := 0
	for _, step = range slices.Backward(slices.Sorted(maps.Keys(perStep))) {
		if n += perStep[step]; n >= max(all/10, worstSeconds) && n <= all/2 {
			break
		}
	}
	return step
}
