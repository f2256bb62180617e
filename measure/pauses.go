package measure

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// What counts as a pause: a response of pauseTimes the median, and of leastPause.
const (
	pauseTimes = 10
	leastPause = 10 * time.Millisecond
	mostPauses = 100 // that are listed
)

// pauses finds the times at which the target stood still, from the longest response of
// each second. What counts as long is known only at the end, from the median: so they
// are counted for each of some levels. The memory does not grow with the run.
type pauses struct {
	seconds int64 // so far
	levels  [80]struct{ count, seconds, last int64 }
	longest []results.Pause // of the seconds, the shortest first
}

// add adds a second that began at the offset from, with its longest response.
func (p *pauses) add(from, longest time.Duration) {
	p.seconds++
	p.extend(from, longest)
}

// extend adds replies to the last second.
func (p *pauses) extend(from, longest time.Duration) {
	for i := range p.levels {
		at := &p.levels[i]
		if longest < level(i) || at.last == p.seconds {
			continue
		}
		if at.seconds == 0 || at.last != p.seconds-1 {
			at.count++
		}
		at.seconds, at.last = at.seconds+1, p.seconds
	}
	p.list(results.Pause{AtNS: int64(from), ForNS: int64(longest)})
}

// level returns the response that reaches the i-th level: there are four for each
// doubling, up to the hour that a histogram holds.
func level(i int) time.Duration {
	return time.Duration(math.Round(float64(leastPause) * math.Exp2(float64(i)/4)))
}

// list keeps a pause if it is one of the longest.
func (p *pauses) list(one results.Pause) {
	if one.ForNS < int64(leastPause) || len(p.longest) == mostPauses && one.ForNS <= p.longest[0].ForNS {
		return
	}
	if len(p.longest) == mostPauses {
		p.longest = p.longest[:copy(p.longest, p.longest[1:])]
	}
	i, _ := slices.BinarySearchFunc(p.longest, one, func(a, b results.Pause) int { return cmp.Compare(a.ForNS, b.ForNS) })
	p.longest = slices.Insert(p.longest, i, one)
}

// result says what there was in a window with that median.
func (p *pauses) result(median, window time.Duration) *results.Pauses {
	if p.seconds == 0 || window <= 0 {
		return nil
	}
	i := 0
	for i < len(p.levels)-1 && level(i) < pauseTimes*median {
		i++
	}
	least, at := int64(level(i)), p.levels[i]
	r := &results.Pauses{
		LeastNS: least, Count: at.count, Seconds: at.seconds, WindowNS: int64(window),
	}
	r.AtMostPerS = results.PausesAtMost(at.seconds, p.seconds)
	for _, one := range p.longest {
		if one.ForNS >= least {
			r.Longest = append(r.Longest, one)
		}
	}
	slices.SortFunc(r.Longest, func(a, b results.Pause) int { return cmp.Compare(a.AtNS, b.AtNS) })
	return r
}
