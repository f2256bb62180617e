package confidence

import "time"

// effect returns the design effect at v: by which factor the share of values up
// to v varies more from run to run than that of independent values would, and at
// least 1. So many values tell as much as one, in an interval of that level.
//
// A bucket may hold a large part of all values, and then the share up to v and
// the share below it are different matters: the larger effect counts.
func (s *Series) effect(v time.Duration, level float64) float64 {
	middle, _ := s.excess(s.sum().at((s.sum().count() + 1) / 2))
	block, worst := blockLength(middle), 1.0
	for _, limit := range []time.Duration{v - 1, v} {
		e, independent := s.excess(limit)
		if independent == 0 { // no values up to it, or all
			continue
		}
		// How long the process remembers shows best at the median. Where few
		// values are above v, that memory is there but drowned in their noise.
		length := max(block, blockLength(e))
		worst = max(worst, variance(e, length)*inflation(len(e), length, level)/independent)
	}
	return worst
}

// excess returns for each interval how many more values up to v it has than its
// share, and the variance that their number in all intervals would have if values
// were independent. The sum is 0. This is the linear part of a ratio, as
// intervals do not all have the same number of values.
func (s *Series) excess(v time.Duration) (e []float64, independent float64) {
	n := float64(s.sum().count())
	share := float64(s.sum().upTo(v)) / n
	e = make([]float64, len(s.intervals))
	for i, d := range s.intervals {
		e[i] = float64(d.upTo(v)) - share*float64(d.count())
	}
	return e, n * share * (1 - share)
}
