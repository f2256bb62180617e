package stats_test

import (
	"math"
	"testing"

	"github.com/brokerbench/brokerbench/internal/stats"
)

func within(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestMoments(t *testing.T) {
	mean, variance := stats.Moments([]float64{2, 4, 4, 4, 5, 5, 7, 9})
	within(t, "mean", mean, 5)
	within(t, "variance", variance, 32./7)
	mean, variance = stats.Moments([]float64{3})
	within(t, "mean of one", mean, 3)
	within(t, "variance of one", variance, 0)
}

func TestMedian(t *testing.T) {
	within(t, "odd", stats.Median([]float64{9, 1, 5}), 5)
	within(t, "even", stats.Median([]float64{9, 1, 5, 6}), 5.5)
}

// One value that is far off does not move the slope of the others.
func TestTheilSen(t *testing.T) {
	within(t, "a line", stats.TheilSen([]float64{1, 3, 5, 7}), 2)
	within(t, "a line with an odd value", stats.TheilSen([]float64{1, 3, 500, 7, 9, 11, 13}), 2)
}

func TestRounded(t *testing.T) {
	within(t, "a third", stats.Rounded(1./3), 0.333333333)
}
