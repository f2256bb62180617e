package compare

import (
	"math"
	"time"

	"github.com/brokerbench/brokerbench/histogram/confidence"
	"github.com/brokerbench/brokerbench/internal/student"
)

// precision is the largest width of a histogram's bucket, as a logarithm. Smaller
// differences are not measured.
const precision = 1. / (1 << 10)

// A sample is the logarithm of a percentile in the repeats of one side.
type sample struct {
	runs     int
	mean     float64
	squared  float64 // variance between runs, of one run; 0 if there is only one
	down, up float64 // how far below and above the mean the truth may be; +Inf: unknown
	level    float64 // the confidence that it is not farther
}

// newSample sums up the values of repeats, which are all known and above 0. The
// series is that of a single one.
func newSample(values []time.Duration, series *confidence.Series, p float64, missing int64, level float64) sample {
	s := sample{runs: len(values), level: level}
	for _, v := range values {
		s.mean += math.Log(float64(v)) / float64(s.runs)
	}
	if s.runs == 1 {
		s.within(values[0], series, p, missing)
		return s
	}
	for _, v := range values {
		d := math.Log(float64(v)) - s.mean
		s.squared += d * d / float64(s.runs-1)
	}
	s.down = s.deviations() / math.Sqrt(float64(s.runs))
	s.up = s.down
	return s
}

// within bounds the mean by how one run differs within itself.
func (s *sample) within(value time.Duration, series *confidence.Series, p float64, missing int64) {
	i, _ := series.IntervalAt(s.level, p, missing)
	s.down, s.up = math.Inf(1), math.Inf(1)
	if i.LowKnown && i.Low > 0 {
		s.down = max(math.Log(float64(value)/float64(i.Low)), 0)
	}
	if i.HighKnown {
		s.up = max(math.Log(float64(i.High)/float64(value)), 0)
	}
}

// deviations returns how far a single run may be from the mean of all.
func (s sample) deviations() float64 {
	return student.Quantile(s.level, float64(s.runs-1)) * math.Sqrt(s.squared)
}

// bounds returns the interval of the logarithm of next/base. See the package
// comment.
func bounds(base, next sample) (low, high float64) {
	var down, up float64
	if base.runs > 1 && next.runs > 1 {
		down = welch(base, next)
		up = down
	} else {
		base, next = base.asWideAs(next), next.asWideAs(base)
		// MOVER: the ratio is lowest if NEW is at its lower bound and BASE at its
		// upper one, and both at once are less likely than either.
		down, up = math.Hypot(next.down, base.up), math.Hypot(next.up, base.down)
	}
	difference := next.mean - base.mean
	return difference - down - precision, difference + up + precision
}

// asWideAs lets a single run vary at least as much as the other side's repeats.
func (s sample) asWideAs(other sample) sample {
	if s.runs == 1 && other.runs > 1 {
		s.down, s.up = max(s.down, other.deviations()), max(s.up, other.deviations())
	}
	return s
}

// welch returns the half width of the interval of a difference of means whose
// variances are unknown and need not be equal, with Satterthwaite's degrees of
// freedom.
func welch(a, b sample) float64 {
	va, vb := a.squared/float64(a.runs), b.squared/float64(b.runs)
	if va+vb == 0 {
		return 0 // all repeats are in the same bucket
	}
	freedom := (va + vb) * (va + vb) / (va*va/float64(a.runs-1) + vb*vb/float64(b.runs-1))
	return student.Quantile(a.level, freedom) * math.Sqrt(va+vb)
}
