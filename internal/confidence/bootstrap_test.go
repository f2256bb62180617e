package confidence

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/brokerbench/brokerbench/internal/stats"
)

// correlated returns m values of an autoregressive process of order 1, of mean 0.
func correlated(m int, rho float64, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 2))
	e, v, sum := make([]float64, m), rng.NormFloat64(), 0.0
	for i := range e {
		e[i] = v
		sum += v
		v = rho*v + math.Sqrt(1-rho*rho)*rng.NormFloat64()
	}
	for i := range e {
		e[i] -= sum / float64(m)
	}
	return e
}

// TestVarianceIsThatOfTheBootstrap draws replicates, which variance does not need.
func TestVarianceIsThatOfTheBootstrap(t *testing.T) {
	const replicates = 40_000 // so the standard error of their variance is 0.7 %
	for _, block := range []int{1, 3, 12, 20} {
		e := correlated(60, 0.8, 1)
		rng := rand.New(rand.NewPCG(1, uint64(block)))
		squares := 0.0
		for range replicates {
			sum := 0.0
			for range len(e) / block {
				first := rng.IntN(len(e))
				for i := range block {
					sum += e[(first+i)%len(e)]
				}
			}
			squares += sum * sum
		}
		if got, want := variance(e, block), squares/replicates; math.Abs(got/want-1) > 0.03 {
			t.Errorf("blocks of %d: variance %v, of %d replicates %v", block, got, replicates, want)
		}
	}
}

func TestVarianceOfConstants(t *testing.T) {
	if got := variance(make([]float64, 9), 3); got != 0 {
		t.Errorf("got %v, want 0", got)
	}
	if got := variance([]float64{1, -1, 1, -1}, 2); got != 0 {
		t.Errorf("blocks that cancel: got %v, want 0", got)
	}
	if got, want := variance([]float64{1, -1, 1, -1}, 1), 4.0; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestBlockLength(t *testing.T) {
	trend := make([]float64, 90)
	for i := range trend {
		trend[i] = float64(i) - 44.5
	}
	alternating := make([]float64, 90)
	for i := range alternating {
		alternating[i] = float64(i%2) - 0.5
	}
	for _, c := range []struct {
		name     string
		e        []float64
		from, to int
	}{
		{"three", []float64{1, 0, -1}, 1, 1},
		{"four", []float64{2, 1, -1, -2}, 1, 1},
		{"nothing", make([]float64, 1000), 10, 10},
		{"alternating", alternating, 5, 5},
		{"a trend", trend, 30, 30},
		{"independent", correlated(1000, 0, 3), 10, 16},
		// 2·(6·0.36/0.4096·1000)^(1/3) = 35, and with 0.5 and 0.7 for 0.6: 28 and 45.
		{"0.6", correlated(1000, 0.6, 3), 28, 45},
		{"0.95", correlated(1000, 0.95, 3), 150, 250}, // 2·(6·0.9025/0.0095·1000)^(1/3) = 166
	} {
		if got := blockLength(c.e); got < c.from || got > c.to {
			t.Errorf("%s: blocks of %d, want %d to %d", c.name, got, c.from, c.to)
		}
	}
}

func TestInflation(t *testing.T) {
	z := stats.NormalQuantile(Level)
	for _, c := range []struct {
		m, block int
		want     float64
	}{
		{30, 10, 1.5 * 3.182446 * 3.182446 / (z * z)},
		{60, 20, 1.5 * 3.182446 * 3.182446 / (z * z)},
		{1_000_000, 1, 1},
	} {
		if got := inflation(c.m, c.block, Level); math.Abs(got/c.want-1) > 0.005 {
			t.Errorf("blocks of %d of %d: %v, want %v", c.block, c.m, got, c.want)
		}
	}
}
