package judge

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/confidence"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/results"
)

// A pause is a response of pauseTimes the median, and of leastPause.
const (
	pauseTimes = 10
	leastPause = 10 * time.Millisecond
	mostPauses = 100 // that are listed
)

// pauses finds the times at which the target stood still, from the longest response of
// each second. The median, and with it the least pause, is known only at the end: so pauses
// are counted at several levels. The memory does not grow with the run.
type pauses struct {
	seconds int64 // so far
	levels  [80]struct{ count, seconds, last int64 }
	longest []results.Pause // of the seconds, the shortest first
}

// add adds a second that began at the offset from, with its longest response; 0 if there
// was none, which says nothing.
func (p *pauses) add(from, longest time.Duration) {
	if longest == 0 {
		return
	}
	p.seconds++
	p.extend(from, longest)
}

// extend adds replies to the last second.
func (p *pauses) extend(from, longest time.Duration) {
	for i := range p.levels {
		at := &p.levels[i]
		if longest < pauseLevel(i) || at.last == p.seconds {
			continue
		}
		if at.seconds == 0 || at.last != p.seconds-1 {
			at.count++
		}
		at.seconds, at.last = at.seconds+1, p.seconds
	}
	p.list(results.Pause{AtNS: int64(from), ForNS: int64(longest)})
}

// pauseLevel returns the response that reaches the i-th level: there are four for each
// doubling, up to the hour that a histogram holds.
func pauseLevel(i int) time.Duration {
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

// result says what there was in the window of a cell; nil if its median is not known. How often there are pauses at most is not known where messages are missing, as
// they would have waited longest, or where messages are due so rarely that a pause may
// pass between two of them.
func (p *pauses) result(c *results.Cell, window time.Duration) *results.Pauses {
	median, _ := value(c.Response, 50)
	if p.seconds == 0 || window <= 0 || median == 0 {
		return nil
	}
	i := 0
	for i < len(p.levels)-1 && pauseLevel(i) < pauseTimes*median {
		i++
	}
	least, at := int64(pauseLevel(i)), p.levels[i]
	r := &results.Pauses{
		LeastNS: least, Count: at.count, Seconds: at.seconds, WindowNS: int64(window),
	}
	if seesPauses(c, pauseLevel(i)) {
		r.AtMostPerS = confidence.PausesAtMost(at.seconds, p.seconds)
	}
	for _, one := range p.longest {
		if one.ForNS >= least {
			r.Longest = append(r.Longest, one)
		}
	}
	slices.SortFunc(r.Longest, func(a, b results.Pause) int { return cmp.Compare(a.AtNS, b.AtNS) })
	r.Longest = joinedPauses(r.Longest)
	return r
}

// joinedPauses makes one pause of those in neighbouring seconds, given in the order of
// time: the longest of them.
func joinedPauses(list []results.Pause) []results.Pause {
	joined, last := list[:0], int64(math.MinInt64/2)
	for _, one := range list {
		switch {
		case one.AtNS-last > int64(record.Period*3/2):
			joined = append(joined, one)
		case one.ForNS > joined[len(joined)-1].ForNS:
			joined[len(joined)-1] = one
		}
		last = one.AtNS
	}
	return joined
}

// seesPauses tells whether messages are due so often that no pause of twice the least
// length passes unseen, and all of them came back.
func seesPauses(c *results.Cell, least time.Duration) bool {
	gap, ok := c.Plan.Shape.Rate.After(1)
	return ok && gap <= least && c.Plan.Shape.Changes.Constant() && !c.Plan.Shape.Arrivals.InBursts() && c.Ledger.Missing() == 0
}
