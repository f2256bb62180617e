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

// around returns an estimate whose interval ends so far below and above the mean.
func around(mean, down, up, level float64) estimate {
	return estimate{mean: mean, low: mean - down - histogram.BucketWidth, high: mean + up + histogram.BucketWidth, level: level}
}

// estimate returns the ratio of a lineup at a level. See the package comment.
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
	e.mean, e.low, e.high, e.level = mean, mean-half-histogram.BucketWidth, mean+half+histogram.BucketWidth, level
	return e
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

// mover combines two intervals, one or both from a single run. The ratio
// is lowest if NEW is at its lower bound and BASE at its upper one; both at once are less
// likely than either.
func mover(base, next sample) estimate {
	base, next = base.asWideAs(next), next.asWideAs(base)
	e := around(next.mean-base.mean, math.Hypot(next.down, base.up), math.Hypot(next.up, base.down), base.level)
	if many := max(base.runs, next.runs); many > 1 {
		e.squared, e.freedom = base.squared+next.squared, float64(many-1) // one of them is 0
		e.err = math.Sqrt(e.squared * (1 + 1/float64(many)))
	}
	return e
}

// asWideAs lets a single run vary at least as much as the other side's repeats.
func (s sample) asWideAs(other sample) sample {
	if s.runs == 1 && other.runs > 1 {
		s.down, s.up = max(s.down, other.deviations()), max(s.up, other.deviations())
	}
	return s
}

// welch estimates the difference of means whose variances are unknown and need not be
// equal, with Satterthwaite's degrees of freedom.
func welch(base, next sample) estimate {
	vb, vn := base.squared/float64(base.runs), next.squared/float64(next.runs)
	e := estimate{squared: (base.squared + next.squared) / 2, err: math.Sqrt(vb + vn)}
	e.freedom = (vb + vn) * (vb + vn) / (vb*vb/float64(base.runs-1) + vn*vn/float64(next.runs-1))
	// If the side with fewer runs varies little by chance, the other side alone would give
	// all degrees of freedom.
	e.freedom = min(e.freedom, float64(2*(min(base.runs, next.runs)-1)))
	return byT(next.mean-base.mean, base.level, e)
}
