// Package confidence says how far a percentile of a run can be trusted: its 95 %
// confidence interval, from the histograms of the run's intervals of a second.
//
//	var s confidence.Series
//	for … { s.Add(second) }
//	i, ok := s.Interval(99, missing)
//
// docs/methodology.md (Confidence) explains the method to users, and what an interval does not
// cover; docs/simulations/coverage.md has how often intervals contain the truth, and for which
// systems they do not.
//
// The interval is that of order statistics for the effective number of values, stretched over
// all of them (Korn & Graubard, Confidence intervals for proportions with small expected number
// of positive counts estimated from survey data, Survey Methodology 24, 1998). It is never
// narrower than that of order statistics. A circular block bootstrap over the intervals shows
// by how much the share of values up to the percentile varies more than it would for independent
// values: the design effect. The bootstrapped statistic is a sum over intervals, whose variance
// has a closed form, so no replicate is drawn and there is no seed.
//
// Missing messages are assumed to be spread over the run like the others: the log's histograms
// do not show that losses come in bursts. Values have the three digits of a histogram.
package confidence

import (
	"cmp"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/stats"
)

const (
	// MinIntervals is how many intervals a [Series] needs: fewer do not show how
	// intervals differ.
	MinIntervals = 3
	// maxIntervals and maxSteps bound the memory: 1 MB. When there are more intervals,
	// neighbours are merged; when an interval has more steps, all get coarser ones.
	maxIntervals = 512
	maxSteps     = 128
)

// A Series collects the interval histograms of one distribution as a log has them,
// one for each second, in order. The zero value is ready for use. Its memory is
// bounded, however many intervals there are: one histogram of all values, and at most
// 512 intervals, which say how the values vary with time. When they are full, each is
// merged with its neighbour. It is not safe for concurrent use.
type Series struct {
	total     histogram.Sum  // of all values
	sorted    distribution   // of total; nil until it is asked for
	intervals []distribution // with ends that have fine significant bits
	fine      int            // 0 means all bits
	span      int            // how many added intervals make one of intervals; 0 means 1
	last      int            // how many the last of intervals holds
	slab      distribution   // room for intervals to come
	scratch   distribution   // of the interval that is added
	joined    distribution   // of two intervals
}

// Expect says, before the first interval is added, how many there will be. Their memory
// is then made at once, so that Add makes none, and what a long run needs does not creep
// up to its end. If they are more than 512, Add then merges neighbours as they come, and
// not all of them at once. A wrong number does no harm.
func (s *Series) Expect(intervals int) {
	intervals = max(intervals, 0)
	s.span = max(1, (intervals+maxIntervals-1)/maxIntervals)
	s.slab = make(distribution, (intervals+s.span-1)/s.span*maxSteps)
	clear(s.slab) // the kernel gives the memory now; else it does so page by page, all through the run
}

// room returns where an interval goes.
func (s *Series) room() distribution {
	if len(s.slab) == 0 {
		return nil
	}
	d := s.slab[:0:maxSteps]
	s.slab = s.slab[maxSteps:]
	return d
}

// Add appends an interval. Empty intervals count. One of another precision than the
// first counts as empty. Add does not keep h.
func (s *Series) Add(h *histogram.Histogram) {
	d := s.read(h)
	s.span = max(s.span, 1)
	switch {
	case len(s.intervals) > 0 && s.last < s.span:
		s.extend(d)
		s.last++
		return
	case len(s.intervals) == maxIntervals:
		s.halve()
	}
	s.intervals = append(s.intervals, store(s.room(), d))
	s.last = 1
}

// Extend adds values to the last interval, as if they had been in it. It does not
// keep h.
func (s *Series) Extend(h *histogram.Histogram) {
	if len(s.intervals) == 0 {
		s.Add(h)
		return
	}
	s.extend(s.read(h))
}

// read adds the values of h to the total and returns their distribution, which is
// valid until the next call.
func (s *Series) read(h *histogram.Histogram) distribution {
	s.sorted, s.scratch = nil, s.scratch[:0]
	if s.total.Add(h) != nil {
		return nil
	}
	s.scratch = appendDistribution(s.scratch, h).coarser(s.fine)
	s.fit(&s.scratch)
	return s.scratch
}

// fit makes all intervals and d coarser until d has no more steps than allowed.
func (s *Series) fit(d *distribution) {
	for len(*d) > maxSteps {
		s.fine = cmp.Or(s.fine, 13) - 1
		for i, interval := range s.intervals {
			s.intervals[i] = interval.coarser(s.fine)
		}
		*d = d.coarser(s.fine)
	}
}

func (s *Series) extend(d distribution) {
	i := len(s.intervals) - 1
	s.intervals[i] = store(s.intervals[i], s.merged(s.intervals[i], d))
}

// halve merges the intervals by pairs.
func (s *Series) halve() {
	half := len(s.intervals) / 2
	for i := range half {
		s.intervals[i] = store(s.intervals[i], s.merged(s.intervals[2*i], s.intervals[2*i+1]))
	}
	clear(s.intervals[half:])
	s.intervals = s.intervals[:half]
	s.span *= 2
}

// merged returns the distribution of the values of both, which is valid until the next
// call.
func (s *Series) merged(a, b distribution) distribution {
	s.joined = merge(s.joined[:0], a, b)
	s.fit(&s.joined)
	return s.joined
}

// store returns a copy of d, in the memory of room if that suffices.
func store(room, d distribution) distribution {
	if len(d) > cap(room) {
		return slices.Clone(d)
	}
	return append(room[:0], d...)
}

// sum returns the distribution of all values.
func (s *Series) sum() distribution {
	if h := s.total.Histogram(); s.sorted == nil && h != nil {
		s.sorted = distributionOf(h)
	}
	return s.sorted
}

// Values returns the histogram of all values; nil if none was added.
func (s *Series) Values() *histogram.Histogram { return s.total.Histogram() }

// An Interval is where a percentile lies with some confidence. An unknown bound is
// 0.
type Interval struct {
	Low, High time.Duration
	// LowKnown is false if there are too few values below the percentile, or if the
	// bound is a missing message.
	LowKnown bool
	// HighKnown is false if there are too few values above the percentile, or if the
	// bound is a missing message: it may be anything.
	HighKnown bool
	// Wide is true if the value may as well be twice as much, or half as much, or anything:
	// such values are as often off by a quarter or more as not.
	Wide bool
}

// Interval returns the 95 % confidence interval of the p-th percentile, 0 < p < 100,
// of the values that were added and of missing messages, which have no value and rank
// above every other. It is that of order statistics, widened for autocorrelation: see
// the package comment. A negative number of missing messages is taken as 0.
//
// The bounds are quantised as in [histogram.Histogram.QuantileOf], and that
// percentile lies between them. Ok is false if there is no interval: nothing was
// recorded, there are fewer than [MinIntervals] intervals, or p is out of range. The
// maximum, p = 100, has no interval: nothing bounds what did not happen in the run.
func (s *Series) Interval(p float64, missing int64) (i Interval, ok bool) {
	return s.IntervalAt(Level, p, missing)
}

// IntervalAt returns the interval at another confidence, 0 < level < 1: if many are
// judged together, each needs more than 95 %. Ok is also false if the level is out of
// range.
func (s *Series) IntervalAt(level, p float64, missing int64) (i Interval, ok bool) {
	if s.sum().count() == 0 || len(s.intervals) < MinIntervals || !(p > 0 && p < 100) || !(level > 0 && level < 1) {
		return Interval{}, false
	}
	sample := s.sample(missing)
	return sample.interval(p, level, func(at time.Duration) designEffect { return s.effect(at, level) }), true
}

// Beyond returns the share of the values above v and of missing messages in all, with its interval at [Level]: that of
// Clopper and Pearson for as many values as are independent, by the design effect at v. If fewer than ten values are above
// v, the effect is that at the tenth. Without an interval, low is 0 and high 1.
func (s *Series) Beyond(v time.Duration, missing int64) (share, low, high float64) {
	sample := s.sample(missing)
	n, count := float64(sample.due()), sample.values.count()
	above := n - float64(sample.values.upTo(v))
	if count == 0 || len(s.intervals) < MinIntervals {
		return above / max(n, 1), 0, 1
	}
	e := s.effect(min(v, sample.values.at(max(count-histogram.MinAbove, 1))), Level).widened
	low, high = stats.BinomialInterval(above/e, n/e, Level)
	return above / n, low, high
}

func (s *Series) sample(missing int64) sample { return sample{s.sum(), max(missing, 0)} }
