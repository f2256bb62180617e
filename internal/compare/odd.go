package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/stats"
)

const (
	// oddAmong is how many runs a side needs before one is left out. With fewer, too few
	// would be left to show the usual value.
	oddAmong = 5
	// oddChance is how often a run is called odd although it is not, if the logarithms
	// of runs are normally distributed.
	oddChance = 0.002
	// oddLeast is how far from the others an odd run is at least, as a logarithm: 20 %.
	oddLeast = 0.182
)

// An Odd run is unlike the others of its side: its value is far from theirs, or too few
// events are above it.
type Odd struct {
	Run     string `json:"run"`  // such as "BASE r3"
	Text    string `json:"text"` // why
	LeftOut bool   `json:"left_out"`
}

// String returns it as "BASE r3 left out: why".
func (o Odd) String() string {
	if o.LeftOut {
		return o.Run + " left out: " + o.Text
	}
	return o.Run + " is odd: " + o.Text
}

// oddOne returns the index of a value that is odd among others (−1: none), and on which
// side of them it lies.
func oddOne(values []float64) (number int, direction float64) {
	return stats.Grubbs(values, oddChance, oddLeast)
}

// text writes the duration that has this logarithm, with three digits.
func text(logarithm float64) string {
	ns := math.Exp(logarithm)
	digits := math.Pow(10, math.Floor(math.Log10(ns))-2)
	return time.Duration(math.Round(ns/digits) * digits).String()
}

// A suspicion is that a run of a side, or a turn, is odd.
type suspicion struct {
	values    []float64
	number    int     // of the run; −1: none
	direction float64 // below 0: lower than the others; 0: the suspicion is not about its value
	odd       Odd
}

// suspect returns the suspicion about a side. A run with too few events comes first.
func (g group) suspect(percentile float64, values []float64, thin []int) suspicion {
	s := suspicion{values: values, number: -1}
	if len(thin) == 1 {
		s.number, s.odd = thin[0], g.tooFew(thin[0], percentile)
		return s
	}
	i, direction := oddOne(values)
	if g.mayLeaveOut() > 0 && i >= 0 {
		others, _ := stats.Moments(stats.Without(values, i))
		s.number, s.direction = i, direction
		s.odd = Odd{Run: g.which(g.trials[i]), Text: fmt.Sprintf("%s, the others %s", text(values[i]), text(others))}
	}
	return s
}

func (g group) mayLeaveOut() int { return min(len(g.trials)/oddAmong, 1) }

// tooFew says that the percentile of a run has too few messages or events above it. Such a run is
// never judged.
func (g group) tooFew(number int, percentile float64) Odd {
	t := g.trials[number]
	return Odd{g.which(t), strings.TrimPrefix(t.At(percentile).TooFew(), ": "), true}
}

// thin returns the numbers of the runs with too few events above a percentile.
func (g group) thin(percentile float64) (numbers []int) {
	for i, t := range g.trials {
		if t.At(percentile).TooFew() != "" {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// oddTo reports whether a run whose value is odd lies beyond all usual runs of the other
// side.
func (s suspicion) oddTo(other suspicion) bool {
	usual := other.values
	if other.number >= 0 {
		usual = stats.Without(usual, other.number)
	}
	return s.direction == 0 || !slices.ContainsFunc(usual, func(v float64) bool { return (s.values[s.number]-v)*s.direction <= 0 })
}

// apply adds the odd run to the lineup and returns the remaining values.
func (s suspicion) apply(l *lineup, out bool) []float64 {
	if s.number < 0 {
		return s.values
	}
	s.odd.LeftOut = out || s.odd.LeftOut
	l.odd = append(l.odd, s.odd)
	if !s.odd.LeftOut {
		return s.values
	}
	return stats.Without(s.values, s.number)
}
