package compare

import (
	"fmt"
	"slices"

	"github.com/brokerbench/brokerbench/internal/stats"
)

// A suspicion is that a run of a side is odd.
type suspicion struct {
	values    []float64
	number    int     // of the run; −1: none
	direction float64 // below 0: lower than the others; 0: the suspicion is not about its value
	odd       Odd
}

// odd returns the suspicion about a side. A run with too few events comes first.
func odd(g group, side string, percentile float64, values []float64, thin []int) suspicion {
	s := suspicion{values: values, number: -1}
	switch i, direction := oddOne(values); {
	case len(thin) == 1:
		s.number, s.odd.Text = thin[0], g.tooFew(thin[0], percentile)
	case g.mayLeaveOut() > 0 && i >= 0:
		others, _ := stats.Moments(stats.Without(values, i))
		s.number, s.direction = i, direction
		s.odd.Text = fmt.Sprintf("%s, the others %s", text(values[i]), text(others))
	default:
		return s
	}
	s.odd.Run = g.which(side, g.trials[s.number])
	return s
}

// oddTo reports whether a run whose value is odd lies beyond all usual runs of the other
// side.
func (s suspicion) oddTo(other suspicion) bool {
	if s.direction == 0 {
		return true
	}
	usual := other.values
	if other.number >= 0 {
		usual = stats.Without(usual, other.number)
	}
	return !slices.ContainsFunc(usual, func(v float64) bool { return (s.values[s.number]-v)*s.direction <= 0 })
}

// apply adds the odd run to the lineup and returns the remaining values.
func (s suspicion) apply(l *lineup, out bool) []float64 {
	if s.number < 0 {
		return s.values
	}
	s.odd.LeftOut = out || s.direction == 0 // a run with too few events is never judged
	l.odd = append(l.odd, s.odd)
	if !s.odd.LeftOut {
		return s.values
	}
	return stats.Without(s.values, s.number)
}
