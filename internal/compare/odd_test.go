package compare

import (
	"testing"
)

// TestOddOne: with 5 runs a value is odd if it is farther from the other four than
// t·s·√(5/4), where 3 degrees of freedom and 0.002/5 on both sides give t = 17.6.
func TestOddOne(t *testing.T) {
	const s = 0.01
	rest := []float64{-1.5 * s, -0.5 * s, 0.5 * s, 1.5 * s} // standard deviation 1.29·s
	limit := 17.599 * 1.290994 * s * 1.118034
	for _, c := range []struct {
		value, direction float64
		number           int
	}{{limit + 0.002, 1, 4}, {-limit - 0.002, -1, 4}, {limit - 0.002, 0, -1}, {0, 0, -1}} {
		if number, direction := oddOne(append(rest, c.value)); number != c.number || direction != c.direction {
			t.Errorf("%v: number %d, direction %v; want %d, %v", c.value, number, direction, c.number, c.direction)
		}
	}
	if number, _ := oddOne([]float64{0, 0, 0, 0, 0.18}); number != -1 {
		t.Error("a run that is 18 % from equal others is odd")
	}
	if number, _ := oddOne([]float64{0, 9}); number != -1 {
		t.Error("one of two runs is odd")
	}
}
