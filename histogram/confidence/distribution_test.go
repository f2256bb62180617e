package confidence

import (
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
			parts[i], _ = distributionOf(h, nil)
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

func TestDistributionReusesScratch(t *testing.T) {
	h := histogram.New()
	h.Record(5)
	first, scratch := distributionOf(h, nil)
	h.Record(7)
	second, _ := distributionOf(h, scratch)
	if first.count() != 1 || first.at(1) != 5 || second.count() != 2 || second.at(2) != 7 {
		t.Errorf("%v and %v", first, second)
	}
}
