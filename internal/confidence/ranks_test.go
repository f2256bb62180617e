package confidence

import (
	"math"
	"math/big"
	"testing"
)

// exactRanks finds the ranks by their definition, from sums of rational numbers:
// B is binomial, l the highest with P(B < l) ≤ 2.5 %, u the lowest with P(B ≥ u)
// ≤ 2.5 %.
func exactRanks(n int64, p *big.Rat) (l, u int64) {
	beyond, q := big.NewRat(25, 1000), new(big.Rat).Sub(big.NewRat(1, 1), p)
	chance := func(k int64) *big.Rat {
		c := new(big.Rat).SetInt(new(big.Int).Binomial(n, k))
		for range k {
			c.Mul(c, p)
		}
		for range n - k {
			c.Mul(c, q)
		}
		return c
	}
	below := new(big.Rat)
	for l = 0; below.Add(below, chance(l)).Cmp(beyond) <= 0; {
		l++
	}
	above := new(big.Rat)
	for u = n; above.Add(above, chance(u)).Cmp(beyond) <= 0; {
		u--
	}
	return l, u + 1
}

// checkRanks compares ranks with what they should be.
func checkRanks(t *testing.T, n int64, p float64, wantL, wantU int64) {
	t.Helper()
	if l, u := ranks(n, p, Level); l != wantL || u != wantU {
		t.Errorf("p%v of %d: ranks %d and %d, want %d and %d", 100*p, n, l, u, wantL, wantU)
	}
}

func TestRanksAgainstExactSums(t *testing.T) {
	for _, thousandths := range []int64{1, 10, 100, 250, 333, 500, 750, 900, 990, 999} {
		share := big.NewRat(thousandths, 1000)
		p, _ := share.Float64()
		for _, n := range []int64{1, 2, 3, 4, 5, 6, 7, 9, 10, 17, 30, 58, 59, 100, 130} {
			l, u := exactRanks(n, share)
			checkRanks(t, n, p, l, u)
		}
	}
}

// floatRanks does the same for large n, from logarithms of factorials.
func floatRanks(n int64, p float64) (l, u int64) {
	factorial := func(k int64) float64 { v, _ := math.Lgamma(float64(k) + 1); return v }
	chance := func(k int64) float64 {
		return math.Exp(factorial(n) - factorial(k) - factorial(n-k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
	}
	below, above := 0.0, 0.0
	for l = 0; below+chance(l) <= 0.025; l++ {
		below += chance(l)
	}
	for u = n; above+chance(u) <= 0.025; u-- {
		above += chance(u)
	}
	return l, u + 1
}

func TestRanksOfThousands(t *testing.T) {
	for _, p := range []float64{0.5, 0.75, 0.9, 0.99, 0.999, 0.9999} {
		for _, n := range []int64{1000, 3688, 6000, 90_000} {
			l, u := floatRanks(n, p)
			checkRanks(t, n, p, l, u)
		}
	}
}

// TestRanksAsPublished has rows for the median from the tables of Le Boudec,
// appendix A, and the textbook rule that 3,688 samples are needed for an upper
// bound of p99.9: 0.999^3688 < 2.5 % < 0.999^3687.
func TestRanksAsPublished(t *testing.T) {
	for _, c := range []struct {
		n    int64
		p    float64
		l, u int64
	}{
		{5, 0.5, 0, 6},
		{6, 0.5, 1, 6},
		{9, 0.5, 2, 8},
		{10, 0.5, 2, 9},
		{20, 0.5, 6, 15},
		{30, 0.5, 10, 21},
		{3687, 0.999, 3683, 3688},
		{3688, 0.999, 3684, 3688},
	} {
		l, u := ranks(c.n, c.p, Level)
		if u != c.u || c.p == 0.5 && l != c.l {
			t.Errorf("p%v of %d: ranks %d and %d, want %d and %d", 100*c.p, c.n, l, u, c.l, c.u)
		}
	}
}

// TestRanksOfMany compares with the normal approximation where that is good to one
// rank, and where ranks uses it.
func TestRanksOfMany(t *testing.T) {
	for _, p := range []float64{0.001, 0.5, 0.9, 0.99, 0.9999, 0.99999} {
		for _, n := range []int64{1e9, 1e10} {
			l, u := ranks(n, p, Level)
			wantL, wantU := normal(n, p, Level)
			if abs(l-wantL) > 1 || abs(u-wantU) > 1 {
				t.Errorf("p%v of %d: ranks %d and %d, want %d and %d to within one", 100*p, n, l, u, wantL, wantU)
			}
		}
	}
	for _, n := range []int64{countable + 1, math.MaxInt64 / 2} {
		l, u := ranks(n, 0.5, Level)
		if half := n / 2; l <= 0 || l >= half || u <= half || u > n {
			t.Errorf("the median of %d: ranks %d and %d", n, l, u)
		}
	}
	if l, u := normal(1e15, 1e-17, Level); l != 0 || u != 2 {
		t.Errorf("ranks %d and %d where there is next to nothing below", l, u)
	}
}

func abs(v int64) int64 { return max(v, -v) }

// TestRanksHoldThePercentile checks that the sample reported as the percentile is
// never outside its interval.
func TestRanksHoldThePercentile(t *testing.T) {
	for n := int64(1); n < 400; n++ {
		for _, p := range []float64{1e-300, 0.001, 0.3, 0.5, 0.9, 0.999, 1 - 1e-16} {
			l, u := ranks(n, p, Level)
			if rank := max(int64(math.Ceil(p*float64(n))), 1); l < 0 || l > rank || u < rank || u > n+1 || l >= u {
				t.Fatalf("p%v of %d is rank %d, and between %d and %d", 100*p, n, rank, l, u)
			}
		}
	}
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		n, independent int64
		p              float64
		l, u           int64
	}{
		{1000, 1000, 0.5, 469, 532}, // those of ranks(1000, 0.5)
		{1000, 10, 0.5, 182, 819},   // 2/11 and 9/11 of 1001
		{1000, 5, 0.5, 0, 1001},     // five are too few for either side
		{1000, 1, 0.5, 0, 1001},
		{1000, 1, 0.99, 500, 1001}, // in 99 of 100 cases one sample is below p99
		{10_000_000_000, 10, 0.5, 1818181818, 8181818183},
	} {
		if l, u := spread(c.n, c.independent, c.p, Level); l != c.l || u != c.u {
			t.Errorf("p%v of %d that say as much as %d: ranks %d and %d, want %d and %d", 100*c.p, c.n, c.independent, l, u, c.l, c.u)
		}
	}
}
