package exact_test

import (
	"math"
	"testing"

	"github.com/brokerbench/brokerbench/internal/exact"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-4*max(want, 1e-3) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// Fisher's tea: all four of four cups are recognised by chance once in 70.
func TestFisher(t *testing.T) {
	near(t, "all four", exact.Fisher(4, 4, 0, 4), 1./70)
	near(t, "three or more", exact.Fisher(3, 4, 1, 4), 17./70)
	near(t, "none or more", exact.Fisher(0, 4, 4, 4), 1)
	near(t, "nothing is marked", exact.Fisher(0, 10, 0, 10), 1)
	near(t, "four of five against none", exact.Fisher(4, 5, 0, 5), 5./210)
}

// The printed table of Kendall's test.
func TestRising(t *testing.T) {
	near(t, "4 of 4 in order", exact.Rising(6, 4), 1./24)
	near(t, "5, s 8", exact.Rising(8, 5), 5./120)
	near(t, "10, s 21", exact.Rising(21, 10), 0.0362751)
	near(t, "any", exact.Rising(-45, 10), 1)
	if s := exact.Trend([]float64{1, 2, 2, 5, 3}); s != 7 {
		t.Errorf("s is %d, want 7", s)
	}
}
