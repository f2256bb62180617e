package confidence

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
)

// TestDistribution compares two distributions and their sum with sorted values.
func TestDistribution(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		var both []time.Duration
		var parts [2]distribution
		for i := range parts {
			h := histogram.New()
			for range rng.IntN(40) {
				v := time.Duration(rng.IntN(60))
				h.Record(v)
				both = append(both, v)
			}
			parts[i] = appendDistribution(nil, h)
		}
		slices.Sort(both)
		sum := merge(nil, parts[0], parts[1])
		if got, want := sum.count(), int64(len(both)); got != want {
			t.Fatalf("%d values, want %d", got, want)
		}
		for i, v := range both {
			if got := sum.at(int64(i + 1)); got != v {
				t.Fatalf("rank %d is %d, want %d", i+1, got, v)
			}
		}
		for v := time.Duration(-1); v < 62; v++ {
			want, _ := slices.BinarySearch(both, v+1)
			if got := sum.upTo(v); got != int64(want) {
				t.Fatalf("%d values up to %d, want %d", got, v, want)
			}
		}
	}
}

// Steps that get coarser keep their values, and end where they would have ended if
// they had been that coarse from the start.
func TestCoarserSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	var fine distribution
	for range 3000 {
		last := step{v: 1}
		if len(fine) > 0 {
			last = fine[len(fine)-1]
		}
		fine = append(fine, step{last.v + time.Duration(1+rng.IntN(int(last.v))/100), last.upTo + 1 + rng.Int64N(9)})
	}
	for bits := 1; bits <= 12; bits++ {
		direct, gradual := slices.Clone(fine).coarser(bits), slices.Clone(fine)
		for b := 12; b >= bits; b-- {
			gradual = gradual.coarser(b)
		}
		if !slices.Equal(direct, gradual) || direct.count() != fine.count() {
			t.Errorf("%d bits: %d steps at once, %d by and by", bits, len(direct), len(gradual))
		}
		for _, s := range direct {
			if s.upTo != fine.upTo(s.v) || coarse(s.v, bits) != s.v {
				t.Fatalf("%d bits: %d values up to %d, want %d", bits, s.upTo, s.v, fine.upTo(s.v))
			}
		}
	}
}

// A series of wide intervals stays small, and its percentiles exact.
func TestASeriesIsBounded(t *testing.T) {
	var s Series
	h := histogram.New()
	rng := rand.New(rand.NewPCG(9, 9))
	for range 10 * maxIntervals {
		h.Reset()
		for range 300 {
			h.Record(time.Duration(math.Exp(rng.NormFloat64()*3) * 1e6))
		}
		s.Add(h)
	}
	steps := 0
	for _, d := range s.intervals {
		steps += cap(d)
	}
	if len(s.intervals) > maxIntervals || steps > maxIntervals*maxSteps || s.sum().count() != 3000*maxIntervals {
		t.Errorf("%d intervals of %d steps in all hold %d values", len(s.intervals), steps, s.sum().count())
	}
	median, _, _ := s.total.Histogram().QuantileOf(50, s.sum().count())
	i, ok := s.Interval(50, 0)
	if !ok || i.Low > median || i.High < median || float64(i.High) > 1.04*float64(i.Low) {
		t.Errorf("p50 is %v, in %+v", median, i)
	}
	if v := s.sum().at(1000); s.below(v) >= coarse(v, s.fine) || coarse(s.below(v), s.fine) != s.below(v) {
		t.Errorf("below %d is %d", v, s.below(v))
	}
}
