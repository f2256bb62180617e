package judge

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// A pause is a response of pauseTimes the median, and of leastPause.
const (
	pauseTimes = 10
	leastPause = 10 * time.Millisecond
	mostPauses = 100 // that are listed
	levels     = 80  // see leastOf
)

// pauses finds the times at which the target stood still, from the longest response of each
// second. The median, and with it the least pause, is known only at the end: so every response
// of leastPause is kept, which takes 24 B for each second with one.
type pauses struct {
	seconds int64 // so far
	long    []longest
}

// A longest response is that of a second, counted from 1, or of the replies after the window.
type longest struct {
	second int64
	results.Pause
}

// add adds a second that began at the offset from, with its longest response; 0 if there
// was none, which says nothing.
func (p *pauses) add(from, response time.Duration) {
	if response > 0 {
		p.seconds++
		p.extend(from, response)
	}
}

// extend adds replies to the last second.
func (p *pauses) extend(from, response time.Duration) {
	if response >= leastPause {
		p.long = append(p.long, longest{p.seconds, results.Pause{AtNS: int64(from), ForNS: int64(response)}})
	}
}

// leastOf returns the shortest response that is a pause: the next of the levels above leastPause,
// four for each doubling, up to the hour that a histogram holds.
func leastOf(median time.Duration) time.Duration {
	level := func(i int) time.Duration {
		return time.Duration(math.Round(float64(leastPause) * math.Exp2(float64(i)/4)))
	}
	i := 0
	for i < levels-1 && level(i) < pauseTimes*median {
		i++
	}
	return level(i)
}

// result says what there was in the window of a cell; nil if its median is not known. How often
// there are pauses at most is not known where messages are missing, as they would have waited
// longest, or where messages are due so rarely that a pause may pass between two of them.
func (p *pauses) result(c *results.Cell, window time.Duration) *results.Pauses {
	median, _ := value(c.Response, 50)
	if p.seconds == 0 || window <= 0 || median == 0 {
		return nil
	}
	least, last := leastOf(median), int64(-1)
	r := &results.Pauses{LeastNS: int64(least), WindowNS: int64(window)}
	for _, one := range p.long {
		if one.ForNS < r.LeastNS {
			continue
		}
		if one.second != last {
			r.Seconds++
		}
		if one.second > last+1 {
			r.Count++
		}
		last = one.second
		r.Longest = append(r.Longest, one.Pause)
	}
	if seesPauses(c, least) {
		r.AtMostPerS = results.PausesAtMost(r.Seconds, p.seconds)
	}
	slices.SortStableFunc(r.Longest, func(a, b results.Pause) int { return cmp.Compare(b.ForNS, a.ForNS) })
	r.Longest = r.Longest[:min(len(r.Longest), mostPauses)]
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
	arrivals := c.Plan.Shape.Arrivals
	return ok && gap <= least && (arrivals.Even() || arrivals == schedule.Poisson) && c.Ledger.Missing() == 0
}
