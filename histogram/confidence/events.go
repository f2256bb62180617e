package confidence

import (
	"slices"
)

// MinEvents is how many independent events must be above a percentile for its value to
// be more than the story of a few: how often they happen is then known within a factor
// of about two and a half.
const MinEvents = 5

// leastEvents is how many independent events above a percentile bound it from above.
// With fewer the run does not show how often they happen.
const leastEvents = 3

// Events returns how many independent events the values above the p-th percentile
// amount to, missing messages included: their number over the design effect there. 600
// messages that waited in the same two pauses are two events. Ok is false where
// [Series.Interval] has no answer.
func (s *Series) Events(p float64, missing int64) (events float64, ok bool) {
	if s.sum().count() == 0 || len(s.intervals) < MinIntervals || !(p > 0 && p < 100) {
		return 0, false
	}
	n := s.sum().count() + max(missing, 0)
	l, _ := ranks(n, p/100, Level)
	return float64(n) * (1 - p/100) / s.effect(s.pivot(p, n, l), Level).plain, true
}

// Append adds the intervals of other behind those of s, as if they had been measured
// one after the other, and leaves other as it is. Neighbours that other has merged stay
// merged.
func (s *Series) Append(other *Series) error {
	h := other.total.Histogram()
	if h == nil {
		return nil
	}
	if err := s.total.Add(h); err != nil {
		return err
	}
	s.sorted = nil
	for other.fine > 0 && (s.fine == 0 || s.fine > other.fine) {
		s.coarsen()
	}
	for _, d := range other.intervals {
		d = slices.Clone(d).coarser(s.fine)
		s.fit(&d)
		if len(s.intervals) == maxIntervals {
			s.halve()
		}
		s.intervals = append(s.intervals, d)
	}
	s.span, s.last = max(s.span, other.span), max(s.span, other.span)
	return nil
}
