package compare

import (
	"math"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/confidence"
	"github.com/brokerbench/brokerbench/results"
)

// wantInterval wants the interval of the ratio of two samples.
func wantInterval(t *testing.T, got estimate, wantLow, wantHigh, within float64) {
	t.Helper()
	if !(math.Abs(got.low-wantLow) <= within && math.Abs(got.high-wantHigh) <= within) {
		t.Errorf("%v to %v, want %v to %v", got.low, got.high, wantLow, wantHigh)
	}
}

// TestWelch compares with an interval worked out by hand: variances 1 of 3 values
// and 4 of 3, means 2 and 5. The standard error is √(1/3+4/3) = 1.29099, with
// (5/3)²/((1/3)²/2+(4/3)²/2) = 2.94118 degrees of freedom, for which integrating
// the density of t gives 3.21876.
func TestWelch(t *testing.T) {
	base, next := []float64{1, 2, 3}, []float64{3, 5, 7}
	half := 3.21876*1.29099 + histogram.BucketWidth
	got := welch(base, next, 0.95)
	wantInterval(t, got, 3-half, 3+half, 1e-3)
	wantInterval(t, welch(next, base, 0.95), -got.high, -got.low, 1e-12)
}

// TestPairs: the ratios 2, 3, 7 have a mean of 4 and a variance of 7: t·√(7/3) with two
// degrees of freedom is 4.3027·1.52753.
func TestPairs(t *testing.T) {
	half := 4.3027*1.52753 + histogram.BucketWidth
	wantInterval(t, pairs(sample{base: []float64{10, 20, 30}, next: []float64{12, 23, 37}}, 0.95), 4-half, 4+half, 1e-3)
	wantInterval(t, pairs(sample{base: []float64{1, 1, 1}, next: []float64{2, 2, 2}}, 0.95), 1-histogram.BucketWidth, 1+histogram.BucketWidth, 1e-12)
}

// The lower bound of a ratio takes the way down of NEW and the way up of BASE, in squares.
func TestDifferenceOfBounds(t *testing.T) {
	base, next := bounds{1, 0.9, 1.3}, bounds{2, 1.6, 3.2}
	wantInterval(t, estimate{bounds: next.minus(base)}, 1-0.5, 1+math.Sqrt(1.44+0.01), 1e-12)
	base.high = math.Inf(1)
	if low := next.minus(base).low; !math.IsInf(low, -1) {
		t.Errorf("a bound of BASE is unknown: low is %v", low)
	}
}

// single returns the group of one run whose 30 seconds are all the same.
func single(v time.Duration) group {
	h, series := histogram.New(), new(confidence.Series)
	for range 1000 {
		h.Record(v)
	}
	for range 30 {
		series.Add(h)
	}
	return group{trials: []Trial{{Cell: new(results.Cell), Series: series}}}
}

// A single run varies as the other side's repeats do, if they vary by more than it
// does within itself: t·s = 4.3027·0.1, and the mean of three by 4.3027·0.1/√3.
func TestOneAgainstRepeats(t *testing.T) {
	c := couple{base: single(time.Millisecond), next: group{trials: make([]Trial, 3)}}
	log := math.Log(1e6)
	s := sample{base: []float64{log}, next: []float64{log + 0.9, log + 1, log + 1.1}, shown: 1}
	half := 0.43027*math.Sqrt(1+1./3) + histogram.BucketWidth
	wantInterval(t, c.estimate(s, 0.95, 50), 1-half, 1+half, 2*histogram.BucketWidth)
	if e := c.estimate(s, 0.95, 50); e.shows() == nil {
		t.Errorf("the repeats show how much is shown: %+v", e)
	}
}

// The interval holds the ratio of all runs together, which may be far from that of most.
func TestRunsThatContradictAllOfThemTogether(t *testing.T) {
	c := couple{base: group{trials: make([]Trial, 3)}, next: group{trials: make([]Trial, 3)}}
	e := c.estimate(sample{base: []float64{1, 1, 1}, next: []float64{2, 2, 2}, shown: -1}, 0.95, 99)
	wantInterval(t, e, -1-histogram.BucketWidth, 1+histogram.BucketWidth, 1e-12)
	if e.value != -1 {
		t.Errorf("the ratio is %v, want that of all together", e.value)
	}
}
