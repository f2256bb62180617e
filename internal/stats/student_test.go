package stats_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/brokerbench/brokerbench/internal/stats"
)

// TestStudentQuantile compares with printed tables, and with the closed forms for one and two
// degrees of freedom.
func TestStudentQuantile(t *testing.T) {
	for _, c := range []struct{ level, freedom, want float64 }{
		{0.95, 1, 12.7062047362},
		{0.95, 2, 4.3026527297},
		{0.95, 3, 3.1824463053},
		{0.95, 4, 2.7764451052},
		{0.95, 8, 2.3060041352},
		{0.95, 30, 2.0422724563},
		{0.95, 120, 1.9799304051},
		{0.95, math.Inf(1), 1.9599639845},
		{0.99, 3, 5.8409093097},
		{0.999, 3, 12.9239786367},
		{0.999, 10, 4.5868938587},
		{0.5, 5, 0.7266868438},
		{0.9999, 1, math.Tan(math.Pi / 2 * 0.9999)},
		{0.9999, 2, 0.9999 * math.Sqrt(2/(1-0.9999*0.9999))},
	} {
		if got := stats.StudentQuantile(c.level, c.freedom); math.Abs(got/c.want-1) > 1e-9 {
			t.Errorf("StudentQuantile(%v, %v) = %.10f, want %.10f", c.level, c.freedom, got, c.want)
		}
	}
}

func TestOutsideOfTheRange(t *testing.T) {
	for _, c := range []struct{ level, freedom float64 }{{0, 3}, {1, 3}, {0.95, 0}, {0.95, -1}, {math.NaN(), 3}, {0.95, math.NaN()}} {
		if got := stats.StudentQuantile(c.level, c.freedom); !math.IsNaN(got) {
			t.Errorf("StudentQuantile(%v, %v) = %v, want NaN", c.level, c.freedom, got)
		}
	}
}

// TestRoundTrip expects a higher level to give a larger quantile, with the probability
// of its level within. Welch's degrees of freedom are not whole.
func TestRoundTrip(t *testing.T) {
	for _, freedom := range []float64{0.5, 1, 1.3, 2.7, 8, 50, 1e4} {
		last := 0.0
		for _, level := range []float64{0.5, 0.9, 0.95, 0.999, 0.999999} {
			q := stats.StudentQuantile(level, freedom)
			got := 1 - 2*distuv.StudentsT{Sigma: 1, Nu: freedom}.CDF(-q)
			if math.Abs(got-level) > 1e-9 || q <= last {
				t.Errorf("%v degrees of freedom: %v within %v, want %v; the quantile before is %v", freedom, got, q, level, last)
			}
			last = q
		}
	}
}
