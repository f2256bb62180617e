// Package spell sums up how long something took in several repeats.
package spell

import (
	"math"

	"github.com/brokerbench/brokerbench/internal/stats"
)

// A Spell is how long something took in several repeats.
type Spell struct {
	Repeats int `json:"repeats"` // in which it is known
	Open    int `json:"open"`    // of these, in how many it did not end: it took longer than MaxNS
	None    int `json:"none"`    // of these, how many show no outage: it was at most this long

	// The geometric mean and its 95 % interval, as in a spread of percentiles; null if an end is unknown,
	// a value is 0, or there are fewer than two repeats.
	GeoMeanNS *int64 `json:"geomean_ns"`
	LowNS     *int64 `json:"low_ns"`
	HighNS    *int64 `json:"high_ns"`
	MinNS     int64  `json:"min_ns"` // of all repeats
	MaxNS     int64  `json:"max_ns"`

	values []*int64
}

// Extend adds the time of one more repeat, and creates the spell if there is none.
func Extend(to **Spell, ns int64) *Spell {
	if *to == nil {
		*to = &Spell{MinNS: ns}
	}
	s := *to
	s.Repeats, s.MinNS, s.MaxNS, s.values = s.Repeats+1, min(s.MinNS, ns), max(s.MaxNS, ns), append(s.values, &ns)
	return s
}

// Sum sets the geometric mean and its interval, if all values are known and above 0.
func (s *Spell) Sum() {
	if s != nil && s.MinNS > 0 && s.Open == 0 && s.Repeats > 1 {
		s.GeoMeanNS, s.LowNS, s.HighNS = geometric(s.values)
	}
}

// geometric returns the geometric mean of values above 0 and its 95 % interval, which is nil
// for a single value.
func geometric(values []*int64) (mean, low, high *int64) {
	logs := make([]float64, len(values))
	for i, v := range values {
		logs[i] = math.Log(float64(*v))
	}
	m, variance := stats.Moments(logs)
	n := float64(len(values))
	if n < 2 {
		return exponential(m), nil, nil
	}
	half := stats.StudentQuantile(0.95, n-1) * math.Sqrt(variance/n)
	return exponential(m), exponential(m - half), exponential(m + half)
}

// exponential returns exp(v), at most 1<<62.
func exponential(v float64) *int64 {
	return new(int64(math.Round(min(math.Exp(v), 1<<62))))
}
