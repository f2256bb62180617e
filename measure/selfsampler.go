package measure

import (
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
	// Sample returns what was used since the call before. It calls pause, which waits for
	// some milliseconds, between two of the things that it reads.
	Sample(pause func()) results.Usage
}

// selfSampler is what an Observer reports during a cell. It is used on the
// goroutine of the intervals; only hiccups are recorded from another. A nil
// selfSampler does nothing.
type selfSampler struct {
	observer Observer
	recorder *histogram.Recorder // of hiccups, by the observer's own goroutine
	stop     func()
	current  *histogram.Histogram // hiccups of the interval that was taken last
	used     results.Usage        // in that interval
	total    *histogram.Histogram // hiccups of the window
	file     *results.UsageWriter // of every interval; nil: nowhere
	window   []results.Usage      // the total of the window's intervals; empty before the first
}

// newSelfSampler returns nil if there is no observer. It creates the files of
// resources in a folder, which may be nil.
func newSelfSampler(o Observer, folder *results.CellFolder) (*selfSampler, error) {
	if o == nil {
		return nil, nil
	}
	observed := &selfSampler{
		observer: o, recorder: histogram.NewRecorder(1, 1), stop: func() {},
		current: histogram.New(), total: histogram.New(),
	}
	if folder == nil {
		return observed, nil
	}
	var err error
	observed.file, err = folder.CreateUsage()
	return observed, err
}

// close ends the files. Those of a cell that never began are removed.
func (o *selfSampler) close(began bool) error {
	switch {
	case o == nil || o.file == nil:
		return nil
	case !began:
		o.file.Discard()
		return nil
	}
	return o.file.Close()
}

// begin is called when the schedule begins. tick is called about a thousand times a second until end.
func (o *selfSampler) begin(tick func()) {
	if o == nil {
		return
	}
	o.observer.Sample(func() {}) // the first interval counts from here
	o.stop = o.observer.ObserveHiccups(func(d time.Duration) {
		samples := [1]histogram.Sample{{Value: d}}
		o.recorder.Record(0, samples[:])
		tick()
	})
}

// end stops the observer.
func (o *selfSampler) end() {
	if o != nil {
		o.stop()
	}
}

// take takes an interval.
func (o *selfSampler) take(from, to time.Duration, pause func()) {
	if o == nil {
		return
	}
	o.current.Reset()
	o.recorder.Swap([]*histogram.Histogram{o.current})
	o.used = o.observer.Sample(pause)
	o.used.FromNS, o.used.ToNS, o.used.HiccupMaxNS = int64(from), int64(to), int64(o.current.Max())
	pause()
	if o.file != nil {
		o.file.Write(o.used)
		pause()
	}
}

// keep returns the longest hiccup of the interval that was taken, and adds the interval to the
// window if it belongs there.
func (o *selfSampler) keep(window bool) time.Duration {
	if window {
		_ = o.total.Merge(o.current) // both have the same precision
		// The total of a total and one more is that of all.
		o.window = []results.Usage{results.TotalUsage(append(o.window, o.used))}
	}
	return o.current.Max()
}

// describe writes what was observed in the whole window into a cell. It walks all that
// was counted: that is for the end, not for each second.
func (o *selfSampler) describe(c *results.Cell) {
	if o == nil {
		return
	}
	hiccup := results.NewDistribution(o.total, 0)
	c.Hiccup = &hiccup
	c.Usage = o.usage()
}

// usage returns what the window used so far, nil before its first interval.
func (o *selfSampler) usage() *results.Usage {
	if o == nil || len(o.window) == 0 {
		return nil
	}
	u := o.window[0]
	return &u
}
