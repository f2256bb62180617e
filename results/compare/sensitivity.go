package compare

import (
	"math"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/student"
)

const (
	// power is how often a difference is to be shown.
	power = 0.8
	// tenPercent is the logarithm of a ratio of 1.1.
	tenPercent = 0.09531017980432487
	// mostRepeats is how many are counted: who needs more has another problem.
	mostRepeats = 1000
)

// needed returns the difference that is shown with a probability of power, if one
// estimate of it has this standard error: then its interval excludes 0 even if the
// estimate is as low as it is in one of five comparisons.
func needed(level, freedom, err float64) float64 {
	return (student.Quantile(level, freedom)+student.Quantile(2*power-1, freedom))*err + histogram.BucketWidth
}

// shows returns the smallest ratio above 1 that such runs show so often; nil if how
// they vary is not known.
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

// repeatsFor returns how many runs a side, which vary as these do, show a difference
// so often; nil if that is not known, or if they are too many.
func (e estimate) repeatsFor(difference float64) *int {
	switch {
	case e.freedom == 0:
		return nil
	case e.squared == 0:
		return new(2)
	}
	z := student.Quantile(e.level, math.Inf(1)) + student.Quantile(2*power-1, math.Inf(1))
	sides := 2.
	if e.pairs {
		sides = 1
	}
	// With so many degrees of freedom that t is normal; with fewer it takes more runs.
	least := math.Ceil(sides * e.squared * z * z / (difference * difference))
	for n := max(least, 2); n <= mostRepeats; n++ {
		if needed(e.level, sides*(n-1), math.Sqrt(sides*e.squared/n)) <= difference {
			return new(int(n))
		}
	}
	return nil
}
