package confidence

import (
	"fmt"
	"testing"

	"github.com/brokerbench/brokerbench/histogram"
)

// nine percentiles, as a table shows.
var nine = []float64{50, 75, 90, 95, 99, 99.9, 99.99, 99.999, 99.9999}

// BenchmarkInterval is nine percentiles of a run of 30 s, 5 min and 1 h at
// 3,000/s.
func BenchmarkInterval(b *testing.B) {
	for _, intervals := range []int{30, 300, 3600} {
		b.Run(fmt.Sprintf("intervals=%d", intervals), func(b *testing.B) {
			c := process{intervals: intervals, ops: 3000, phi: 0.999}
			s, _ := c.run(1, histogram.New())
			kept := 0
			for _, d := range s.intervals {
				kept += 16 * cap(d)
			}
			b.ReportAllocs()
			for b.Loop() {
				for _, p := range nine {
					if _, ok := s.Interval(p, 0); !ok {
						b.Fatal("no interval")
					}
				}
			}
			b.ReportMetric(float64(kept)/1e6, "MB-kept")
		})
	}
}

func BenchmarkAdd(b *testing.B) {
	h := histogram.New()
	c := process{intervals: 1, ops: 3000, phi: 0.999}
	c.run(1, h)
	b.ReportAllocs()
	var s Series
	for b.Loop() {
		s.Add(h)
	}
}

// BenchmarkRanks is the cost of order statistics alone.
func BenchmarkRanks(b *testing.B) {
	for _, n := range []int64{1e4, 1e6, 1e8, 1e10} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				ranks(n, 0.5, Level)
			}
		})
	}
}
