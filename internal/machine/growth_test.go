package machine

import (
	"math"
	"runtime/metrics"
	"testing"
)

func TestGrowth(t *testing.T) {
	h := &metrics.Float64Histogram{
		Counts:  make([]uint64, 4),
		Buckets: []float64{math.Inf(-1), 0, 1e-6, 2e-6, math.Inf(1)},
	}
	var g growth
	for _, tt := range []struct {
		name          string
		more          [4]uint64
		p50, max, sum int64
	}{
		{"the first look", [4]uint64{1, 2, 3, 0}, 1000, 2000, 2*1000 + 3*2000},
		{"nothing since", [4]uint64{}, 0, 0, 0},
		{"only what is new", [4]uint64{0, 1, 0, 0}, 1000, 1000, 1000},
		{"half of two", [4]uint64{0, 1, 1, 0}, 1000, 2000, 3000},
		{"more than half", [4]uint64{0, 1, 2, 0}, 2000, 2000, 5000},
		{"no upper bound", [4]uint64{0, 2, 0, 1}, 1000, 2000, 4000},
		{"below nothing", [4]uint64{5, 0, 0, 0}, 0, 0, 0},
	} {
		for i, n := range tt.more {
			h.Counts[i] += n
		}
		g.update(h)
		if p50, longest, sum := g.quantile(0.5), g.quantile(1), g.sum(); p50 != tt.p50 || longest != tt.max || sum != tt.sum {
			t.Errorf("%s: got p50 %d, max %d, sum %d, want %d, %d, %d", tt.name, p50, longest, sum, tt.p50, tt.max, tt.sum)
		}
	}
}

// A version of Go that lacks a metric leaves it empty.
func TestGoWithoutAMetric(t *testing.T) {
	g := newGoRuntime()
	for i := range g.samples {
		g.samples[i].Name += "-gone"
	}
	if got := g.sinceLast(); got.Goroutines != 0 || got.SchedLatencyMaxNS != 0 || got.GCPauseTotalNS != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestTheRuntimesBucketsAreAQuarterWide(t *testing.T) {
	g := newGoRuntime()
	g.sinceLast()
	for _, metric := range []int{gcPauses, schedLatencies} {
		bounds := g.samples[metric].Value.Float64Histogram().Buckets
		for i := 1; i < len(bounds)-2; i++ {
			lower, upper := bounds[i], bounds[i+1]
			if lower >= 512e-9 && upper > 1.2500001*lower {
				t.Errorf("%s: a bucket from %v to %v", g.samples[metric].Name, lower, upper)
			}
		}
	}
}
