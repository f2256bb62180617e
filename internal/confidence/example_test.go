package confidence_test

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/confidence"
)

// Two runs of a minute with 200 messages a second between 1 and 3 ms, two of which were
// never answered. Both have the same values. In the second run the slow ones come
// together, so it says far less about the next run: upper bounds are unknown, even
// that of the median.
func ExampleSeries() {
	for _, step := range []int{7919, 1} {
		var s confidence.Series
		for second := range 60 {
			h := histogram.New()
			for i := range 200 {
				u := float64((second*200+i)*step%12000) / 12000
				h.Record(time.Duration(1e6 * (1 + 2*u*u*u)))
			}
			s.Add(h) // what a .hlog holds for this second
		}
		for _, p := range []float64{50, 99, 99.99} {
			i, ok := s.Interval(p, 2)
			low, high := i.Low.Round(time.Microsecond), i.High.Round(time.Microsecond)
			fmt.Printf("p%v from %v (known %v) to %v (known %v), %v\n", p, low, i.LowKnown, high, i.HighKnown, ok)
		}
	}
	// Output:
	// p50 from 1.237ms (known true) to 1.265ms (known true), true
	// p99 from 2.931ms (known true) to 2.953ms (known true), true
	// p99.99 from 3ms (known true) to 0s (known false), true
	// p50 from 0s (known false) to 0s (known false), true
	// p99 from 2.564ms (known true) to 0s (known false), true
	// p99.99 from 2.994ms (known true) to 0s (known false), true
}
