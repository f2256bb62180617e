package compare

import (
	"math"
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
