package numbers_test

import (
	"math"
	"testing"

	"github.com/brokerbench/brokerbench/internal/numbers"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestMoments(t *testing.T) {
	mean, variance := numbers.Moments([]float64{2, 4, 4, 4, 5, 5, 7, 9})
	near(t, "mean", mean, 5)
	near(t, "variance", variance, 32./7)
	mean, variance = numbers.Moments([]float64{3})
	near(t, "mean of one", mean, 3)
	near(t, "variance of one", variance, 0)
	near(t, "geometric mean", numbers.GeometricMean([]float64{1, 10, 100}), 10)
}

func TestMedian(t *testing.T) {
	near(t, "odd", numbers.Median([]float64{9, 1, 5}), 5)
	near(t, "even", numbers.Median([]float64{9, 1, 5, 6}), 5.5)
}

// One value that is far off does not move the slope of the others.
func TestSlope(t *testing.T) {
	near(t, "a line", numbers.Slope([]float64{1, 3, 5, 7}), 2)
	near(t, "a line with an odd value", numbers.Slope([]float64{1, 3, 500, 7, 9, 11, 13}), 2)
}

func TestRounded(t *testing.T) {
	near(t, "a third", numbers.Rounded(1./3), 0.333333333)
}
