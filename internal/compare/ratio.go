package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/stats"
)

// A sample has the logarithms of a number in the runs of both sides, in the order of the
// runs. With the method Pairs the i-th values of both sides belong together.
type sample struct {
	base, next []float64
	shown      float64  // the logarithm of the ratio that is shown
	out        []string // the runs that are left out
}

// sample returns that of a percentile. The ratio is that of all runs together.
func (c couple) sample(percentile float64) (s sample) {
	base, _ := c.base.at(percentile).Value()
	next, _ := c.next.at(percentile).Value()
	s.base, s.next, s.shown = c.base.values(percentile), c.next.values(percentile), math.Log(float64(next)/float64(base))
	if percentile < 100 {
		c.leaveOut(&s)
	}
	return s
}

const (
	// oddAmong is how many runs a side needs before one is left out: fewer do not show what
	// is usual.
	oddAmong = 5
	// oddChance is how often a run is called odd although it is not, if the logarithms
	// of runs are normally distributed.
	oddChance = 0.002
	// oddLeast is how far from the others an odd run is at least, as a logarithm: 20 %.
	oddLeast = 0.182
)

// leaveOut takes at most one run of each side, or one pair, out of the interval: one that is
// far from the others hides everything that they show. It stays if the other side has a run
// like it. The ratio of all runs together has all of them, and is in the interval.
func (c couple) leaveOut(s *sample) {
	if c.method() == Pairs {
		if i := odd(s.ratios(), nil); i >= 0 {
			s.base, s.next, s.out = stats.Without(s.base, i), stats.Without(s.next, i), []string{fmt.Sprintf("turn %d", i+1)}
		}
		return
	}
	usual := s.next
	if i := odd(s.next, nil); i >= 0 {
		usual = stats.Without(s.next, i)
	}
	if i := odd(s.base, usual); i >= 0 {
		s.base, s.out = stats.Without(s.base, i), append(s.out, c.base.which(c.base.trials[i]))
	}
	if i := odd(s.next, s.base); i >= 0 {
		s.next, s.out = stats.Without(s.next, i), append(s.out, c.next.which(c.next.trials[i]))
	}
}

// odd returns the index of a value that is far from the others, and from the usual ones of the
// other side; −1 if there is none.
func odd(values, usual []float64) int {
	if len(values) < oddAmong {
		return -1
	}
	i, _ := stats.Grubbs(values, oddChance, oddLeast)
	if i >= 0 && slices.ContainsFunc(usual, func(v float64) bool { return math.Abs(v-values[i]) < oddLeast }) {
		return -1
	}
	return i
}

func (s sample) ratios() stats.LogRatios {
	ratios := make(stats.LogRatios, len(s.base))
	for i := range ratios {
		ratios[i] = s.next[i] - s.base[i]
	}
	return ratios
}

// An estimate is the logarithm of a ratio with its interval.
type estimate struct {
	bounds

	level float64 // the confidence of the bounds
	// The inputs of the sensitivity. All are 0 if it is unknown.
	squared float64 // the variance of one run, or of the ratio of one pair
	err     float64 // the standard error of the ratio
	freedom float64 // its degrees of freedom
	pairs   bool
}

// estimate returns the ratio of a sample at a level. Its interval is by how runs differ, and
// holds the ratio that is shown: if the runs contradict all of them together, nothing is shown.
func (c couple) estimate(s sample, level, percentile float64) (e estimate) {
	switch c.method() {
	case Pairs:
		e = pairs(s, level)
	case Repeats:
		e = welch(s.base, s.next, level)
	case OneASide, OneAgainst:
		e = c.alone(s, percentile, level)
	}
	e.value = s.shown
	e.low, e.high = min(e.low, s.shown-histogram.BucketWidth), max(e.high, s.shown+histogram.BucketWidth)
	return e
}

// pairs estimates the mean of the ratios of pairs.
func pairs(s sample, level float64) estimate {
	ratios := s.ratios()
	mean, half, deviation := math.Log(ratios.Ratio()), ratios.HalfWidth(level), ratios.Deviation()
	return estimate{
		bounds: bounds{mean, mean - half, mean + half}, level: level,
		squared: deviation * deviation, err: deviation / math.Sqrt(float64(len(ratios))), freedom: float64(len(ratios.Kept()) - 1), pairs: true,
	}
}

// welch estimates the difference of means whose variances are unknown and need not be
// equal, with Satterthwaite's degrees of freedom (Welch, The generalization of Student's problem
// when several different population variances are involved, Biometrika 34, 1947; for latencies:
// Kalibera & Jones, Rigorous benchmarking in reasonable time, ISMM 2013).
func welch(base, next []float64, level float64) estimate {
	mb, sb := stats.Moments(base)
	mn, sn := stats.Moments(next)
	vb, vn := sb/float64(len(base)), sn/float64(len(next))
	e := estimate{level: level, squared: (sb + sn) / 2, err: math.Sqrt(vb + vn)}
	// If the side with fewer runs varies little by chance, the other side alone would give
	// all degrees of freedom.
	e.freedom = float64(2 * (min(len(base), len(next)) - 1))
	half := histogram.BucketWidth
	if e.err > 0 { // else all are in the same bucket
		e.freedom = min(e.freedom, (vb+vn)*(vb+vn)/(vb*vb/float64(len(base)-1)+vn*vn/float64(len(next)-1)))
		half += stats.StudentQuantile(level, e.freedom) * e.err
	}
	e.bounds = bounds{mn - mb, mn - mb - half, mn - mb + half}
	return e
}

// alone estimates a ratio whose sides, or one of them, have a single run. It is assumed to vary
// as much as the repeats of the other side, or as it does within itself, if that is more.
func (c couple) alone(s sample, percentile, level float64) (e estimate) {
	many := max(len(s.base), len(s.next))
	_, base := stats.Moments(s.base)
	_, next := stats.Moments(s.next)
	e.level, e.squared = level, base+next // one of them is 0
	if many > 1 {
		e.freedom, e.err = float64(many-1), math.Sqrt(e.squared*(1+1/float64(many)))
	}
	b, n := c.base.interval(s.base, e, percentile, level), c.next.interval(s.next, e, percentile, level)
	e.bounds = n.minus(b)
	e.low, e.high = e.low-histogram.BucketWidth, e.high+histogram.BucketWidth
	return e
}

// interval bounds the logarithm of a percentile of one side: of a single run by its seconds, and
// by how the other side's repeats vary.
func (g group) interval(values []float64, e estimate, percentile, level float64) bounds {
	mean, _ := stats.Moments(values)
	varies := 0.
	if e.freedom > 0 {
		varies = stats.StudentQuantile(level, e.freedom) * math.Sqrt(e.squared/float64(len(values)))
	}
	b := bounds{mean, mean - varies, mean + varies}
	if len(values) > 1 {
		return b
	}
	i, _ := g.trials[0].Series.IntervalAt(level, percentile, g.trials[0].Cell.Response.Missing)
	if b.low = min(b.low, math.Log(float64(i.Low))); !i.LowKnown {
		b.low = math.Inf(-1)
	}
	if b.high = max(b.high, math.Log(float64(i.High))); !i.HighKnown {
		b.high = math.Inf(1)
	}
	return b
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
