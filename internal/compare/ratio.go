package compare

import (
	"math"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/confidence"
	"github.com/brokerbench/brokerbench/internal/stats"
)

// An estimate is the logarithm of a ratio with its interval.
type estimate struct {
	mean, low, high float64 // the bounds include the precision; ±Inf: unknown
	level           float64 // the confidence of the bounds
	// The inputs of the sensitivity. All are 0 if it is unknown.
	squared float64 // the variance of one run, or of the ratio of one pair
	err     float64 // the standard error of mean
	freedom float64 // its degrees of freedom
	pairs   bool
}

// around sets mean and interval, which ends so far below and above the mean.
func (e estimate) around(mean, down, up, level float64) estimate {
	e.mean, e.low, e.high, e.level = mean, mean-down-histogram.BucketWidth, mean+up+histogram.BucketWidth, level
	return e
}

// estimate returns the ratio of a lineup at a level.
func (c couple) estimate(l lineup, level float64, percentile float64) estimate {
	if c.method() == Pairs {
		return pairs(ratios(l.base, l.next), level)
	}
	base, next := c.base.sample(l.base, percentile, level), c.next.sample(l.next, percentile, level)
	if base.runs > 1 && next.runs > 1 {
		return welch(base, next)
	}
	return mover(base, next)
}

// pairs estimates the mean of logarithms of ratios, by Student's t.
func pairs(ratios []float64, level float64) estimate {
	mean, squared := stats.Moments(ratios)
	return byT(mean, level, estimate{squared: squared, err: math.Sqrt(squared / float64(len(ratios))), freedom: float64(len(ratios) - 1), pairs: true})
}

func byT(mean, level float64, e estimate) estimate {
	half := 0.
	if e.err > 0 { // else all are in the same bucket
		half = stats.StudentQuantile(level, e.freedom) * e.err
	}
	return e.around(mean, half, half, level)
}

// A sample is the logarithm of a percentile in the repeats of one side.
type sample struct {
	runs     int
	mean     float64
	squared  float64 // variance between runs, of one run; 0 if there is only one
	down, up float64 // the distances from the mean to the bounds; +Inf: unknown
	level    float64 // the confidence that it is not farther
}

// sample sums up the values of a side's runs. The variation within a single run bounds
// its value.
func (g group) sample(values []float64, percentile, level float64) sample {
	if first := g.trials[0]; len(values) == 1 {
		return alone(values[0], first.Series, percentile, first.Cell.Response.Missing, level)
	}
	return newSample(values, level)
}

func newSample(values []float64, level float64) sample {
	s := sample{runs: len(values), level: level}
	s.mean, s.squared = stats.Moments(values)
	s.down = s.deviations() / math.Sqrt(float64(s.runs))
	s.up = s.down
	return s
}

// alone returns the sample of a single run.
func alone(value float64, series *confidence.Series, percentile float64, missing int64, level float64) sample {
	s := sample{runs: 1, mean: value, level: level, down: math.Inf(1), up: math.Inf(1)}
	i, _ := series.IntervalAt(level, percentile, missing)
	if i.LowKnown && i.Low > 0 {
		s.down = max(value-math.Log(float64(i.Low)), 0)
	}
	if i.HighKnown {
		s.up = max(math.Log(float64(i.High))-value, 0)
	}
	return s
}

// deviations returns how far a single run may be from the mean of all.
func (s sample) deviations() float64 {
	return stats.StudentQuantile(s.level, float64(s.runs-1)) * math.Sqrt(s.squared)
}

// mover combines two intervals, one or both from a single run (Zou & Donner, Construction of
// confidence limits about effect measures, Statistics in Medicine 27, 2008). The ratio is lowest if NEW is at its lower bound and BASE at its upper one; both at once are less
// likely than either.
func mover(base, next sample) (e estimate) {
	base, next = base.asWideAs(next), next.asWideAs(base)
	if many := max(base.runs, next.runs); many > 1 {
		e.squared, e.freedom = base.squared+next.squared, float64(many-1) // one of them is 0
		e.err = math.Sqrt(e.squared * (1 + 1/float64(many)))
	}
	return e.around(next.mean-base.mean, math.Hypot(next.down, base.up), math.Hypot(next.up, base.down), base.level)
}

// asWideAs lets a single run vary at least as much as the other side's repeats.
func (s sample) asWideAs(other sample) sample {
	if s.runs == 1 && other.runs > 1 {
		s.down, s.up = max(s.down, other.deviations()), max(s.up, other.deviations())
	}
	return s
}

// welch estimates the difference of means whose variances are unknown and need not be
// equal, with Satterthwaite's degrees of freedom (Welch, The generalization of Student's problem
// when several different population variances are involved, Biometrika 34, 1947; for latencies:
// Kalibera & Jones, Rigorous benchmarking in reasonable time, ISMM 2013).
func welch(base, next sample) estimate {
	vb, vn := base.squared/float64(base.runs), next.squared/float64(next.runs)
	e := estimate{squared: (base.squared + next.squared) / 2, err: math.Sqrt(vb + vn)}
	e.freedom = (vb + vn) * (vb + vn) / (vb*vb/float64(base.runs-1) + vn*vn/float64(next.runs-1))
	// If the side with fewer runs varies little by chance, the other side alone would give
	// all degrees of freedom.
	e.freedom = min(e.freedom, float64(2*(min(base.runs, next.runs)-1)))
	return byT(next.mean-base.mean, base.level, e)
}

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
	switch {
	case e.freedom == 0:
		return nil
	case e.err == 0:
		return rounded(histogram.BucketWidth)
	}
	return rounded(needed(e.level, e.freedom, e.err))
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
