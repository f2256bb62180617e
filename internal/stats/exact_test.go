package stats_test

import (
	"math"
	"testing"

	"github.com/brokerbench/brokerbench/internal/stats"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-4*max(want, 1e-3) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// Fisher's tea: all four of four cups are recognised by chance once in 70.
func TestFisher(t *testing.T) {
	near(t, "all four", stats.Fisher(4, 4, 0, 4), 1./70)
	near(t, "three or more", stats.Fisher(3, 4, 1, 4), 17./70)
	near(t, "none or more", stats.Fisher(0, 4, 4, 4), 1)
	near(t, "nothing is marked", stats.Fisher(0, 10, 0, 10), 1)
	near(t, "four of five against none", stats.Fisher(4, 5, 0, 5), 5./210)
}

// The printed table of Kendall's test.
func TestKendall(t *testing.T) {
	near(t, "4 of 4 in order", stats.KendallP(6, 4), 1./24)
	near(t, "5, s 8", stats.KendallP(8, 5), 5./120)
	near(t, "10, s 21", stats.KendallP(21, 10), 0.0362751)
	near(t, "any", stats.KendallP(-45, 10), 1)
	if s := stats.KendallS([]float64{1, 2, 2, 5, 3}); s != 7 {
		t.Errorf("s is %d, want 7", s)
	}
}

// TestBinomialInterval compares with printed tables of Clopper and Pearson's limits, and with the
// closed forms where nothing or everything happened.
func TestBinomialInterval(t *testing.T) {
	for _, c := range []struct{ count, n, level, low, high float64 }{
		{0, 10, 0.95, 0, 1 - math.Pow(0.025, 0.1)},
		{10, 10, 0.95, math.Pow(0.025, 0.1), 1},
		{4, 10, 0.95, 0.12155, 0.73762},
		{1, 20, 0.95, 0.00127, 0.24873},
		{50, 100, 0.99, 0.36889, 0.63111},
	} {
		low, high := stats.BinomialInterval(c.count, c.n, c.level)
		if math.Abs(low-c.low) > 1e-4 || math.Abs(high-c.high) > 1e-4 {
			t.Errorf("%v of %v: %v to %v, want %v to %v", c.count, c.n, low, high, c.low, c.high)
		}
	}
}

// TestPoissonInterval compares with Garwood's table.
func TestPoissonInterval(t *testing.T) {
	for _, c := range []struct{ count, low, high float64 }{{0, 0, 3.689}, {1, 0.0253, 5.572}, {5, 1.623, 11.668}, {20, 12.217, 30.888}} {
		if low, high := stats.PoissonInterval(c.count, 0.95); math.Abs(low-c.low) > 1e-3 || math.Abs(high-c.high) > 1e-3 {
			t.Errorf("%v: %v to %v, want %v to %v", c.count, low, high, c.low, c.high)
		}
	}
}
