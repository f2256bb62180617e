package confidence

import (
	"math"
	"time"
)

// A Rank is a known percentile: so many values are at most Value.
type Rank struct {
	Value time.Duration
	UpTo  int64
}

// stepsBetween is how many steps are made between two ranks: a factor of two takes steps of 0.5 %.
const stepsBetween = 128

// Interpolate yields count values between least and most with the known ranks: up to the first of
// them on a linear scale, and then on a logarithmic one.
func Interpolate(least, most time.Duration, count int64, known []Rank, yield func(v time.Duration, count int64) bool) {
	last, counted := float64(max(least, 1)), int64(0)
	for r, rank := range known {
		v := max(float64(rank.Value), last)
		first, at, factor := counted, last, math.Pow(v/last, 1./stepsBetween)
		for i := int64(1); i <= stepsBetween; i++ {
			to := first + (rank.UpTo-first)*i/stepsBetween
			if at *= factor; r == 0 {
				at = last + float64(i)/stepsBetween*(v-last)
			}
			if to > counted && !yield(time.Duration(math.Round(at)), to-counted) {
				return
			}
			counted = max(counted, to)
		}
		last = v
	}
	if rest := count - counted; rest > 0 {
		yield(most, rest)
	}
}
