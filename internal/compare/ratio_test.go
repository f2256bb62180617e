package compare

import (
	"math"
	"testing"

	"github.com/brokerbench/brokerbench/histogram"
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
	base, next := newSample([]float64{1, 2, 3}, 0.95), newSample([]float64{3, 5, 7}, 0.95)
	half := 3.21876*1.29099 + histogram.BucketWidth
	got := welch(base, next)
	wantInterval(t, got, 3-half, 3+half, 1e-3)
	wantInterval(t, welch(next, base), -got.high, -got.low, 1e-12)
}

// TestPairs: the ratios 2, 3, 7 have a mean of 4 and a variance of 7: t·√(7/3) with two
// degrees of freedom is 4.3027·1.52753.
func TestPairs(t *testing.T) {
	half := 4.3027*1.52753 + histogram.BucketWidth
	wantInterval(t, pairs(ratios([]float64{10, 20, 30}, []float64{12, 23, 37}), 0.95), 4-half, 4+half, 1e-3)
	wantInterval(t, pairs([]float64{1, 1, 1}, 0.95), 1-histogram.BucketWidth, 1+histogram.BucketWidth, 1e-12)
}

// TestMover: the lower bound of a ratio takes the way down of NEW and the way up of
// BASE, in squares.
func TestMover(t *testing.T) {
	base := sample{runs: 1, mean: 1, down: 0.1, up: 0.3, level: 0.95}
	next := sample{runs: 1, mean: 2, down: 0.4, up: 1.2, level: 0.95}
	wantInterval(t, mover(base, next), 1-0.5-histogram.BucketWidth, 1+math.Sqrt(1.44+0.01)+histogram.BucketWidth, 1e-12)
	base.up = math.Inf(1)
	if low := mover(base, next).low; !math.IsInf(low, -1) {
		t.Errorf("a bound of BASE is unknown: low is %v", low)
	}
}

// A single run varies as the other side's repeats do, if they vary by more than it
// does within itself: t·s = 4.3027·1, and the mean of three by 4.3027/√3.
func TestOneAgainstRepeats(t *testing.T) {
	one, many := sample{runs: 1, down: 0.1, up: 0.1, level: 0.95}, newSample([]float64{1, 2, 3}, 0.95)
	half := 4.3027*math.Sqrt(1+1./3) + histogram.BucketWidth
	wantInterval(t, mover(one, many), many.mean-half, many.mean+half, 1e-3)
	one.down, one.up = 100, 100
	if low := mover(one, many).low; low > many.mean-100 {
		t.Errorf("low %v: what the run itself does not know is lost", low)
	}
}
