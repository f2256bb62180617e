package confidence

import (
	"math/bits"
	"time"
)

// A designEffect is the factor by which the share of values up to some value varies
// more from run to run than it would if values were independent, at least 1: that many
// values say as much as one.
type designEffect struct {
	plain   float64 // as estimated
	widened float64 // as it may be used in an interval: see inflation
}

// effect returns the design effect at v, for an interval of that level.
//
// If one bucket holds a large part of all values, the share up to v and the share
// below v differ. Then the larger effect counts.
func (s *Series) effect(v time.Duration, level float64) designEffect {
	middle, _ := s.excess(s.sum().at((s.sum().count() + 1) / 2))
	block, worst := blockLength(middle), designEffect{1, 1}
	for _, limit := range []time.Duration{s.below(v), v} {
		e, independent := s.excess(limit)
		if independent == 0 { // no values up to it, or all
			continue
		}
		// The memory of the process shows best at the median. With few values
		// above v it is there, too, but hidden by their noise.
		length := max(block, blockLength(e))
		plain := variance(e, length) / independent
		worst.plain, worst.widened = max(worst.plain, plain), max(worst.widened, plain*inflation(len(e), length, level))
	}
	return worst
}

// below returns a value of the step before the one that v is in.
func (s *Series) below(v time.Duration) time.Duration {
	if s.fine == 0 {
		return v - 1
	}
	end := uint64(coarse(v, s.fine)) + 1
	return time.Duration(end-1<<max(bits.Len64(end-1)-s.fine, 0)) - 1
}

// excess returns how many more values up to the end of v's step each interval has than
// its share, and the variance of their number in all intervals if values were
// independent. The excesses add up to 0. This is the linear part of a ratio, because
// intervals do not all have the same number of values.
func (s *Series) excess(v time.Duration) (e []float64, independent float64) {
	if s.fine > 0 && v >= 0 {
		v = coarse(v, s.fine)
	}
	n, below := int64(0), int64(0)
	for _, d := range s.intervals {
		n, below = n+d.count(), below+d.upTo(v)
	}
	share := float64(below) / float64(n)
	e = make([]float64, len(s.intervals))
	for i, d := range s.intervals {
		e[i] = float64(d.upTo(v)) - share*float64(d.count())
	}
	return e, float64(n) * share * (1 - share)
}

// MinEvents is how many independent events above a percentile bound it from above. With fewer
// the run does not show how often they happen: of such numbers most are off by a quarter or
// more, of the others few are (docs/simulations/estimator.md).
const MinEvents = 3

// Events returns how many independent events the values above the p-th percentile
// amount to, missing messages included: their number over the design effect there. 600
// messages that waited in the same two pauses are two events. Ok is false where
// [Series.Interval] has no answer.
func (s *Series) Events(p float64, missing int64) (events float64, ok bool) {
	if s.sum().count() == 0 || len(s.intervals) < MinIntervals || !(p > 0 && p < 100) {
		return 0, false
	}
	sample := s.sample(missing)
	l, _ := ranks(sample.due(), p/100, Level)
	return float64(sample.due()) * (1 - p/100) / s.effect(sample.pivot(p, l), Level).plain, true
}
