package causes

import (
	"slices"
	"sort"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
)

// share is how much of the longest response of a pause a cause that takes time must take to explain the pause.
// Of a pause that an earlier cause explains in part, it need not explain more than a quarter of that.
const (
	share     = 0.25
	partShare = share / 4
)

// A grid has the ends of the samples.
type grid struct {
	ends []int64 // ends[0] is the beginning of the first sample
	from int64   // the part of the samples that is compared: that of the window
	to   int64
}

func newGrid(s *cause.Samples) grid {
	g := grid{ends: make([]int64, len(s.EndsNS))}
	at := int64(0)
	for i, d := range s.EndsNS {
		at += d
		g.ends[i] = at
	}
	if !slices.IsSorted(g.ends) { // no file of brokerbench
		return grid{}
	}
	if len(g.ends) > 0 {
		g.from, g.to = max(s.FromNS, g.ends[0]), min(s.ToNS, g.ends[len(g.ends)-1])
	}
	return g
}

// every returns the mean length of a sample; it has one at least.
func (g grid) every() int64 { return (g.ends[len(g.ends)-1] - g.ends[0]) / int64(len(g.ends)-1) }

// sample returns the number of the sample that has a time, from 0; the nearest if none has.
func (g grid) sample(at int64) int {
	i := sort.Search(len(g.ends), func(i int) bool { return g.ends[i] >= at })
	return min(max(i-1, 0), len(g.ends)-2)
}

// A candidate is a possible cause.
type candidate struct {
	cause.Cause

	timed bool
	sums  []int64 // sums[i] is that of the samples before i: of nanoseconds beyond what is usual, or of events
}

// candidates returns the causes that were sampled and ever happened.
func candidates(s *cause.Samples, samples int) (list []*candidate) {
	for _, one := range s.Series {
		c := &candidate{Cause: cause.Cause{Cause: one.Cause, Where: one.Where}, timed: one.Kind == cause.Time, sums: make([]int64, samples+1)}
		limit := usual(one, samples)
		for at, v := range one.All() {
			switch {
			case at < 0 || at >= samples:
			case c.timed:
				c.sums[at+1] = 1000 * max(0, v-limit)
			case v > limit:
				c.sums[at+1] = 1
			}
		}
		for i := range samples {
			c.sums[i+1] += c.sums[i]
		}
		if c.sums[samples] > 0 {
			list = append(list, c)
		}
	}
	return list
}

// usual returns the value up to which a sample is usual: of a time the median, of a level three times the median, and
// of a count what three of four samples do not exceed.
func usual(s cause.Series, samples int) int64 {
	rank, times := samples/2, int64(1)
	switch s.Kind {
	case cause.Count:
		rank = samples * 3 / 4
	case cause.Level:
		times = 3
	}
	values := slices.Sorted(slices.Values(s.Value))
	i := rank - (samples - len(values)) // all others are 0
	if i < 0 || i >= len(values) {
		return 0
	}
	return times * values[i]
}

// explains reports whether the cause has an event in the samples first to last that explains a pause whose longest
// response was worst nanoseconds, or so much of it.
func (c *candidate) explains(in, worst int64, part float64) bool {
	if c.timed {
		return float64(in) >= part*float64(worst)
	}
	return in > 0
}

// in returns the sum of the samples first to last.
func (c *candidate) in(first, last int) int64 { return c.sums[last+1] - c.sums[first] }

// is reports whether it is the candidate of a cause.
func (c *candidate) is(other cause.Cause) bool {
	return c.Cause.Cause == other.Cause && c.Where == other.Where
}

// ranks orders causes that coincide with the same pauses: a stop says more than a wait, and a
// node more than the machine. Causes that a pause may itself have come last.
var ranks = []string{
	cause.Stopped, cause.Throttled, cause.GCJVM, cause.GCErlang, cause.Steal, cause.Leader,
	cause.Retransmit, cause.Disk, cause.PageFaults, cause.RunQueue, cause.IO, cause.Memory,
	cause.CPU, cause.GCClient, cause.RTT, cause.Queue, cause.Log,
}

// rank returns the place of a cause in that order.
func (c *candidate) rank() int {
	r := 2 * (1 + slices.Index(ranks, c.Cause.Cause))
	if c.Where == cause.Machine {
		r++
	}
	return r
}
