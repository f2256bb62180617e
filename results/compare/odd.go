package compare

import (
	"math"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/numbers"
	"github.com/brokerbench/brokerbench/internal/student"
)

const (
	// oddAmong is how many runs a side needs for one to be left out. Of fewer, too few
	// are left to say what is usual.
	oddAmong = 5
	// oddChance is how often a run is called odd although it is not, if the logarithms
	// of runs are normally distributed.
	oddChance = 0.002
	// oddLeast is how far from the others an odd run is at least, as a logarithm: 20 %.
	oddLeast = 0.182
)

// An Odd run is unlike the others of its side: its value is far from theirs, or too
// little is behind it.
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

// oddOne returns the number of a value that is odd among others, and whether it is
// above (1) or below them (−1). It is −1 if there is none. This is Grubbs' test: the
// value farthest from the rest, against how much the rest varies (Grubbs, Sample
// criteria for testing outlying observations, Annals of Mathematical Statistics 21,
// 1950).
func oddOne(values []float64) (number int, direction float64) {
	if len(values) < 3 {
		return -1, 0
	}
	mean, _ := numbers.Moments(values)
	for i, v := range values {
		if math.Abs(v-mean) > math.Abs(values[number]-mean) {
			number = i
		}
	}
	n := float64(len(values))
	others, squared := numbers.Moments(without(values, number))
	away := values[number] - others
	if math.Abs(away) < max(oddLeast, student.Quantile(1-oddChance/n, n-2)*math.Sqrt(squared*(1+1/(n-1)))) {
		return -1, 0
	}
	return number, math.Copysign(1, away)
}

func without(values []float64, i int) []float64 { return slices.Delete(slices.Clone(values), i, i+1) }

// text writes what a logarithm is of, as a duration of three digits.
func text(logarithm float64) string {
	ns := math.Exp(logarithm)
	digits := math.Pow(10, math.Floor(math.Log10(ns))-2)
	return time.Duration(math.Round(ns/digits) * digits).String()
}
