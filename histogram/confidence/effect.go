package confidence

import "time"

// effect returns the design effect at v: the factor by which the share of values up
// to v varies more from run to run than it would if values were independent, at least
// 1. In an interval of that level, that many values say as much as one.
//
// If one bucket holds a large part of all values, the share up to v and the share
// below v differ. Then the larger effect counts.
func (s *Series) effect(v time.Duration, level float64) float64 {
	middle, _ := s.excess(s.sum().at((s.sum().count() + 1) / 2))
	block, worst := blockLength(middle), 1.0
	for _, limit := range []time.Duration{v - 1, v} {
		e, independent := s.excess(limit)
		if independent == 0 { // no values up to it, or all
			continue
		}
		// The memory of the process shows best at the median. With few values
		// above v it is there, too, but hidden by their noise.
		length := max(block, blockLength(e))
		worst = max(worst, variance(e, length)*inflation(len(e), length, level)/independent)
	}
	return worst
}

// excess returns how many more values up to v each interval has than its share, and
// the variance of their number in all intervals if values were independent. The
// excesses add up to 0. This is the linear part of a ratio, because intervals do not
// all have the same number of values.
func (s *Series) excess(v time.Duration) (e []float64, independent float64) {
	n := float64(s.sum().count())
	share := float64(s.sum().upTo(v)) / n
	e = make([]float64, len(s.intervals))
	for i, d := range s.intervals {
		e[i] = float64(d.upTo(v)) - share*float64(d.count())
	}
	return e, n * share * (1 - share)
}
