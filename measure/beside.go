package measure

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// beside counts the intervals of the window by their longest response and the longest
// hiccup that came with it, both in steps of 9 %. Nothing is kept of an interval
// itself: a run may last for days. The zero value is ready for use.
type beside struct{ counts map[pairOfSteps]int }

type pairOfSteps struct{ response, hiccup int }

const stepsPerDoubling = 8

// stepOf returns the step that a duration is in; 0 holds none and less than a nanosecond.
func stepOf(d time.Duration) int {
	if d < 1 {
		return 0
	}
	return 1 + int(stepsPerDoubling*math.Log2(float64(d)))
}

// add adds an interval.
func (b *beside) add(response, hiccup time.Duration) {
	if response <= 0 {
		return
	}
	if b.counts == nil {
		b.counts = make(map[pairOfSteps]int)
	}
	b.counts[pairOfSteps{stepOf(response), stepOf(hiccup)}]++
}

// tail compares the hiccups of the worst intervals with those of the others.
func (b *beside) tail() *results.Tail {
	worst := b.worst()
	t := &results.Tail{ThresholdNS: leastIn(worst)}
	const half = -stepsPerDoubling // hiccupShare, in steps
	for at, n := range b.counts {
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
func (b *beside) worst() (step int) {
	all := 0
	perStep := make(map[int]int, len(b.counts))
	for at, n := range b.counts {
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

// leastIn returns the least duration that is in a step, in nanoseconds.
func leastIn(step int) int64 {
	if step == 0 {
		return 0
	}
	return int64(math.Ceil(math.Exp2(float64(step-1) / stepsPerDoubling)))
}
