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
func (b *beside) tail(response results.Distribution) *results.Tail {
	from := max(tailFrom(response), b.fifth())
	t := &results.Tail{ThresholdNS: from}
	half := float64(stepsPerDoubling) * math.Log2(1/hiccupShare)
	for at, n := range b.counts {
		if at.response >= stepOf(time.Duration(from)) {
			t.Intervals += n
			if float64(at.hiccup) >= float64(at.response)-half {
				t.WithHiccup += n
			}
			continue
		}
		t.Ordinary += n
		if float64(at.hiccup) >= float64(stepOf(time.Duration(from)))-half {
			t.OrdinaryWithHiccup += n
		}
	}
	return t
}

// fifth returns the least response that at most a fifth of the intervals reach: without
// ordinary intervals there is nothing to compare the worst with. It is 0 if all are
// alike.
func (b *beside) fifth() int64 {
	all := 0
	perStep := make(map[int]int, len(b.counts))
	for at, n := range b.counts {
		all += n
		perStep[at.response] += n
	}
	worst, step := 0, 0
	for _, at := range slices.Backward(slices.Sorted(maps.Keys(perStep))) {
		if worst += perStep[at]; worst > all/5 {
			break
		}
		step = at
	}
	if step == 0 {
		return 0
	}
	return int64(math.Ceil(math.Exp2(float64(step-1) / stepsPerDoubling)))
}

// tailFrom returns p99.9, or the highest percentile that is trusted.
func tailFrom(d results.Distribution) int64 {
	for _, p := range slices.Backward([]float64{50, 90, 99, 99.9}) {
		if row, ok := d.At(p); ok && row.Trusted {
			return *row.ValueNS
		}
	}
	return 0
}
