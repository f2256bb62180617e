package measure

import (
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results"
)

// An Observer observes this process and its machine while a cell is measured.
type Observer interface {
	// ObserveHiccups calls record about a thousand times a second, from one
	// goroutine, with how long this process was runnable but not scheduled, until
	// stop is called.
	ObserveHiccups(record func(time.Duration)) (stop func())
	// Sample returns what was used since the call before.
	Sample() results.Usage
}

// observation is what an Observer reports during a cell. It is used on the
// goroutine of the intervals; only hiccups are recorded from another. A nil
// observation does nothing.
type observation struct {
	observer Observer
	recorder *histogram.Recorder // of hiccups, by the observer's own goroutine
	stop     func()
	current  *histogram.Histogram // hiccups of the interval that was taken last
	total    *histogram.Histogram // hiccups of the window
	usage    []results.Usage      // of every interval
	window   []results.Usage      // the total of the window's intervals; empty before the first
	worst    []interval           // of every interval
}

// interval is what the tail is explained by.
type interval struct {
	window   bool          // not of the warm-up alone
	response time.Duration // the longest
	hiccup   time.Duration // the longest
}

// newObservation returns nil if there is no observer.
func newObservation(o Observer) *observation {
	if o == nil {
		return nil
	}
	return &observation{
		observer: o, recorder: histogram.NewRecorder(1, 1),
		current: histogram.New(), total: histogram.New(), stop: func() {},
	}
}

// begin is called when the schedule begins.
func (o *observation) begin() {
	if o == nil {
		return
	}
	o.observer.Sample() // the first interval counts from here
	o.stop = o.observer.ObserveHiccups(func(d time.Duration) {
		samples := [1]histogram.Sample{{Value: d}}
		o.recorder.Record(0, samples[:])
	})
}

// end stops the observer.
func (o *observation) end() {
	if o != nil {
		o.stop()
	}
}

// take takes an interval, whose longest response is given.
func (o *observation) take(from, to, response time.Duration, window bool) {
	o.current.Reset()
	o.recorder.Swap([]*histogram.Histogram{o.current})
	if window {
		_ = o.total.Merge(o.current) // both are ours
	}
	u := o.observer.Sample()
	u.FromNS, u.ToNS, u.HiccupMaxNS = int64(from), int64(to), int64(o.current.Max())
	park()
	o.usage = append(o.usage, u)
	if window {
		// The total of a total and one more is that of all.
		o.window = []results.Usage{results.TotalUsage(append(o.window, u))}
	}
	o.worst = append(o.worst, interval{window, response, o.current.Max()})
}

// describe writes what was observed into a cell.
func (o *observation) describe(c *results.Cell) {
	if o == nil {
		return
	}
	hiccup := results.NewDistribution(o.total, 0)
	c.Hiccup = &hiccup
	c.Tail = o.tail(c.Response)
	if len(o.window) > 0 {
		u := o.window[0]
		c.Usage = &u
	}
}

// tail compares the worst intervals with the hiccups of the same time.
func (o *observation) tail(response results.Distribution) *results.Tail {
	t := results.Tail{ThresholdNS: tailFrom(response), LargestHiccupNS: int64(o.total.Max())}
	var before time.Duration
	for _, in := range o.worst {
		if in.window && in.response > 0 && int64(in.response) >= t.ThresholdNS {
			t.Intervals++
			if stoodStill(max(in.hiccup, before), in.response) {
				t.WithHiccup++
			}
		}
		before = in.hiccup
	}
	return &t
}

// tailFrom returns p99.9, or the highest percentile that is trusted.
func tailFrom(d results.Distribution) int64 {
	for _, p := range slices.Backward([]float64{50, 90, 99, 99.9}) {
		if row, ok := d.At(p); ok && row.Trusted {
			return *row.ValueNS
		}
	}
	return 0
}
