package stats_test

import (
	"math"
	"testing"

	"github.com/brokerbench/brokerbench/internal/stats"
)

// TestRankSum compares with probabilities counted by hand, and with the printed table
// of the rank sum test.
func TestRankSum(t *testing.T) {
	for _, c := range []struct {
		name       string
		base, next []float64
		want       float64
		above      bool
	}{
		{"three above three", []float64{1, 2, 3}, []float64{4, 5, 6}, 2. / 20, true},
		{"three below three", []float64{4, 5, 6}, []float64{1, 2, 3}, 2. / 20, false},
		{"five above five", []float64{1, 2, 3, 4, 5}, []float64{6, 7, 8, 9, 10}, 2. / 252, true},
		{"one above four", []float64{1, 2, 3, 4}, []float64{5}, 2. / 5, true},
		{"all equal", []float64{0, 0, 0}, []float64{0, 0}, 1, false},
		// Fisher's exact test of 4 of 5 against 0 of 5: 2·5·6/(10·9·8·7/24 …) = 0.0476.
		{"a stall in four of five", []float64{0, 0, 0, 0, 0}, []float64{1, 0, 1, 1, 1}, 12. / 252, true},
		{"a stall in four of five before", []float64{1, 0, 1, 1, 1}, []float64{0, 0, 0, 0, 0}, 12. / 252, false},
		{"a stall in three of five", []float64{0, 0, 0, 0, 0}, []float64{1, 0, 0, 1, 1}, 2 * 21. / 252, true},
	} {
		if got, above := stats.RankSum(c.base, c.next); math.Abs(got-c.want) > 1e-12 || above != c.above && got < 1 {
			t.Errorf("%s: %v, above %v; want %v, %v", c.name, got, above, c.want, c.above)
		}
	}
}

// TestHodgesLehmann compares with the printed table of Wilcoxon's test: of 4 against 4 the 95 %
// interval leaves out no difference but the outermost, of 5 against 5 two, of 8 against 8
// thirteen at either end.
func TestHodgesLehmann(t *testing.T) {
	row := func(n int, step float64) (values []float64) {
		for i := range n {
			values = append(values, step*float64(i))
		}
		return values
	}
	for _, c := range []struct{ n, k int }{{4, 1}, {5, 3}, {8, 14}} {
		// All differences are distinct: the k-th of those ordered is found by counting.
		base, next := row(c.n, 1), row(c.n, 100)
		shift, low, high := stats.HodgesLehmann(base, next, 0.95)
		var list []float64
		for _, n := range next {
			for i := c.n - 1; i >= 0; i-- {
				list = append(list, n-base[i])
			}
		}
		if want := list[c.k-1]; low != want || high != list[len(list)-c.k] {
			t.Errorf("%d against %d: %v to %v, want %v to %v", c.n, c.n, low, high, want, list[len(list)-c.k])
		}
		if want := 50.*float64(c.n-1) - float64(c.n-1)/2; math.Abs(shift-want) > 50 {
			t.Errorf("the median difference is %v, want about %v", shift, want)
		}
	}
	if _, low, high := stats.HodgesLehmann(row(3, 1), row(3, 1), 0.95); !math.IsInf(low, -1) || !math.IsInf(high, 1) {
		t.Errorf("three against three: %v to %v, want no bounds", low, high)
	}
}
