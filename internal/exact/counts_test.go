package exact_test

import (
	"math"
	"testing"

	"github.com/brokerbench/brokerbench/internal/exact"
)

// TestShare compares with printed tables of Clopper and Pearson's limits, and with the
// closed forms where nothing or everything happened.
func TestShare(t *testing.T) {
	for _, c := range []struct{ count, n, level, low, high float64 }{
		{0, 10, 0.95, 0, 1 - math.Pow(0.025, 0.1)},
		{10, 10, 0.95, math.Pow(0.025, 0.1), 1},
		{4, 10, 0.95, 0.12155, 0.73762},
		{1, 20, 0.95, 0.00127, 0.24873},
		{50, 100, 0.99, 0.36889, 0.63111},
	} {
		low, high := exact.Share(c.count, c.n, c.level)
		if math.Abs(low-c.low) > 1e-4 || math.Abs(high-c.high) > 1e-4 {
			t.Errorf("%v of %v: %v to %v, want %v to %v", c.count, c.n, low, high, c.low, c.high)
		}
	}
}

// TestMean compares with Garwood's table.
func TestMean(t *testing.T) {
	for _, c := range []struct{ count, low, high float64 }{{0, 0, 3.689}, {1, 0.0253, 5.572}, {5, 1.623, 11.668}, {20, 12.217, 30.888}} {
		if low, high := exact.Mean(c.count, 0.95); math.Abs(low-c.low) > 1e-3 || math.Abs(high-c.high) > 1e-3 {
			t.Errorf("%v: %v to %v, want %v to %v", c.count, low, high, c.low, c.high)
		}
	}
}
