package compare

import (
	"math"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/stats"
)

const (
	// power is the probability with which a difference should be shown.
	power = 0.8
	// tenPercent is the logarithm of a ratio of 1.1.
	tenPercent = 0.09531017980432487
	// mostRepeats is the largest number of repeats that is recommended.
	mostRepeats = 1000
)

// needed returns the difference that is shown with a probability of power, if an estimate
// of it has this standard error: its interval excludes 0 even if the estimate is as low
// as in one of five comparisons.
func needed(level, freedom, err float64) float64 {
	return (stats.StudentQuantile(level, freedom)+stats.StudentQuantile(2*power-1, freedom))*err + histogram.BucketWidth
}

// shows returns the smallest ratio above 1 that such runs show so often; nil if their
// variation is unknown.
func (e estimate) shows() *float64 {
	if e.freedom == 0 {
		return nil
	}
	return rounded(e.smallest())
}

func (e estimate) smallest() float64 {
	if e.err == 0 {
		return histogram.BucketWidth
	}
	return needed(e.level, e.freedom, e.err)
}

// repeatsFor returns how many runs a side, as variable as these, show a difference so
// often; nil if that is unknown, or more than mostRepeats.
func (e estimate) repeatsFor(difference float64) *int {
	switch {
	case e.freedom == 0:
		return nil
	case e.squared == 0:
		return new(2)
	}
	z := stats.NormalQuantile(e.level) + stats.NormalQuantile(2*power-1)
	sides := 2.
	if e.pairs {
		sides = 1
	}
	// The number for a normal distribution; Student's t with few degrees of freedom needs more.
	least := math.Ceil(sides * e.squared * z * z / (difference * difference))
	for n := max(least, 2); n <= mostRepeats; n++ {
		if needed(e.level, sides*(n-1), math.Sqrt(sides*e.squared/n)) <= difference {
			return new(int(n))
		}
	}
	return nil
}
