package histogram

import (
	"fmt"
	"math"
	"math/big"
	"testing"
	"time"
)

// upTo returns a histogram of 1 ns, 2 ns … n ns: up to 2047 every value has a
// bucket of its own.
func upTo(n int64) *Histogram {
	h := New()
	for v := int64(1); v <= n; v++ {
		h.Record(time.Duration(v))
	}
	return h
}

func TestQuantileOf(t *testing.T) {
	for _, c := range []struct {
		p            float64
		count, total int64
		v            time.Duration
		above        int64
		known        bool
	}{
		{50, 1000, 1000, 500, 500, true},
		{99, 1000, 1000, 990, 10, true},
		{99.9, 1000, 1000, 999, 1, true}, // not 1000: see rankOf
		{99.99, 1000, 1000, 1000, 0, true},
		{100, 1000, 1000, 1000, 0, true},
		{0, 1000, 1000, 1, 999, true},
		{1e-9, 1000, 1000, 1, 999, true},
		{50.05, 1000, 1000, 501, 499, true},
		// 2 % are missing: p98 is the last that is known.
		{50, 980, 1000, 500, 500, true},
		{98, 980, 1000, 980, 20, true},
		{98.1, 980, 1000, 0, 19, false},
		{99, 980, 1000, 0, 10, false},
		{100, 980, 1000, 0, 0, false},
		// Nothing came back; nothing was due.
		{50, 0, 10, 0, 5, false},
		{0, 0, 10, 0, 9, false},
		{50, 0, 0, 0, 0, false},
		{100, 0, 0, 0, 0, false},
		// Out of range, and a total that cannot be.
		{-5, 10, 10, 1, 9, true},
		{200, 10, 10, 10, 0, true},
		{math.NaN(), 10, 10, 1, 9, true},
		{100, 10, 3, 10, 0, true},
	} {
		v, above, known := upTo(c.count).QuantileOf(c.p, c.total)
		if v != c.v || above != c.above || known != c.known {
			t.Errorf("p%v of %d values of %d: %d, %d above, known %v; want %d, %d, %v",
				c.p, c.count, c.total, v, above, known, c.v, c.above, c.known)
		}
	}
}

func TestQuantileNeverExceedsTheMaximum(t *testing.T) {
	h := of(time.Second + 1)
	for _, p := range []float64{0, 1, 50, 99.9, 100} {
		if got := h.Quantile(p); got != time.Second+1 {
			t.Errorf("p%v is %d", p, got)
		}
	}
	h.Record(2 * time.Second)
	if got := h.Quantile(50); got < time.Second+1 || got > time.Second+time.Millisecond {
		t.Errorf("p50 is %v", got)
	}
}

// TestRank compares with exact arithmetic on the percentile as it is written in
// decimals.
func TestRank(t *testing.T) {
	totals := []int64{1, 2, 3, 7, 10, 99, 100, 1000, 9999, 10000, 90_000, 333_333 * 60, 600_000, 1_000_000, 123_456_789, 1 << 40}
	hundredThousand := big.NewRat(100_000, 1)
	for thousandths := int64(1); thousandths <= 100_000; thousandths += 7 {
		for _, total := range totals {
			checkRank(t, float64(thousandths)/1000, total, new(big.Rat).Quo(big.NewRat(thousandths, 1), hundredThousand))
		}
	}
	for _, text := range []string{"50", "75", "90", "95", "99", "99.9", "99.99", "99.999", "99.9999", "100"} {
		for _, total := range totals {
			share, _ := new(big.Rat).SetString(text)
			var p float64
			if _, err := fmt.Sscan(text, &p); err != nil {
				t.Fatal(err)
			}
			checkRank(t, p, total, share.Quo(share, big.NewRat(100, 1)))
		}
	}
}

func checkRank(t *testing.T, p float64, total int64, share *big.Rat) {
	t.Helper()
	exact := new(big.Rat).Mul(share, new(big.Rat).SetInt64(total))
	want := new(big.Int).Add(exact.Num(), new(big.Int).Sub(exact.Denom(), big.NewInt(1)))
	want.Quo(want, exact.Denom())
	if got := rankOf(p, total); got != want.Int64() {
		t.Fatalf("rank of %v %% of %d is %d, want %d", p, total, got, want)
	}
}

// TestEveryRank asks for each rank through a percentile, and through the bucket
// that holds it.
func TestEveryRank(t *testing.T) {
	h := random(3, 3001)
	rank, g := int64(0), h.geometry
	for v, count := range h.recorded() {
		for range count {
			rank++
			if got, want := h.at(rank), min(time.Duration(g.highest(v)), h.Max()); got != want {
				t.Fatalf("rank %d is %v, want %v", rank, got, want)
			}
		}
	}
}

func TestQuantileAllocatesNothing(t *testing.T) {
	h := random(1, 1000)
	if n := testing.AllocsPerRun(100, func() { h.QuantileOf(99.9, 1200); h.Quantile(50) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkQuantileOf(b *testing.B) {
	b.ReportAllocs()
	h := random(1, 20000)
	for b.Loop() {
		h.QuantileOf(99.9, 20001)
	}
}
