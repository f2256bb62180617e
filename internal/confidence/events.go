package confidence

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
