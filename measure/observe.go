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
	// Sample returns what was used since the call before. It calls rest, which waits for
	// some milliseconds, between two of the things that it reads.
	Sample(rest func()) results.Usage
}

// observation is what an Observer reports during a cell. It is used on the
// goroutine of the intervals; only hiccups are recorded from another. A nil
// observation does nothing.
type observation struct {
	observer Observer
	recorder *histogram.Recorder // of hiccups, by the observer's own goroutine
	stop     func()
	current  *histogram.Histogram // hiccups of the interval that was taken last
	used     results.Usage        // in that interval
	total    *histogram.Histogram // hiccups of the window
	file     *results.UsageWriter // of every interval; nil: nowhere
	window   []results.Usage      // the total of the window's intervals; empty before the first

	// The longest response of each interval of the window: of all, and of those in
	// which a hiccup explains it. Nothing is kept of an interval itself: a run may
	// last for days.
	worst, explained *histogram.Histogram
	before           time.Duration // the longest hiccup of the last interval
}

// newObservation returns nil if there is no observer. It begins the files of what is
// used in a folder, which may be nil.
func newObservation(o Observer, folder *results.CellFolder) (*observation, error) {
	if o == nil {
		return nil, nil
	}
	observed := &observation{
		observer: o, recorder: histogram.NewRecorder(1, 1), stop: func() {},
		current: histogram.New(), total: histogram.New(), worst: histogram.New(), explained: histogram.New(),
	}
	if folder == nil {
		return observed, nil
	}
	var err error
	observed.file, err = folder.CreateUsage()
	return observed, err
}

// close ends the files. Those of a cell that never began are removed.
func (o *observation) close(began bool) error {
	switch {
	case o == nil || o.file == nil:
		return nil
	case !began:
		o.file.Discard()
		return nil
	}
	return o.file.Close()
}

// begin is called when the schedule begins.
func (o *observation) begin() {
	if o == nil {
		return
	}
	o.observer.Sample(func() {}) // the first interval counts from here
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

// take takes an interval.
func (o *observation) take(from, to time.Duration, rest func()) {
	if o == nil {
		return
	}
	o.current.Reset()
	o.recorder.Swap([]*histogram.Histogram{o.current})
	o.used = o.observer.Sample(rest)
	o.used.FromNS, o.used.ToNS, o.used.HiccupMaxNS = int64(from), int64(to), int64(o.current.Max())
	rest()
	if o.file != nil {
		o.file.Write(o.used)
		rest()
	}
}

// keep adds the interval that was taken, whose longest response is given, to the window
// if it belongs to it.
func (o *observation) keep(response time.Duration, window bool) {
	if window {
		_ = o.total.Merge(o.current) // both are ours
		// The total of a total and one more is that of all.
		o.window = []results.Usage{results.TotalUsage(append(o.window, o.used))}
		o.compare(response, max(o.current.Max(), o.before))
	}
	o.before = o.current.Max()
}

// compare compares the longest response of an interval with the longest hiccup until
// its end.
func (o *observation) compare(response, hiccup time.Duration) {
	if response <= 0 {
		return
	}
	o.worst.Record(response)
	if stoodStill(hiccup, response) {
		o.explained.Record(response)
	}
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
	from := tailFrom(response)
	return &results.Tail{
		ThresholdNS: from, LargestHiccupNS: int64(o.total.Max()),
		Intervals: countFrom(o.worst, from), WithHiccup: countFrom(o.explained, from),
	}
}

// countFrom returns how many values are in the bucket of a threshold or above.
func countFrom(h *histogram.Histogram, threshold int64) (n int) {
	for highest, count := range h.Buckets() {
		if int64(highest) >= threshold {
			n += int(count)
		}
	}
	return n
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
