package measure

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/histogram/confidence"
	"github.com/brokerbench/brokerbench/plan"
)

// period is the length of an interval of the log.
const period = time.Second

// intervals takes the histograms once a second, writes them to the log, and adds
// them up. begin starts a goroutine and end ends it; all else is done on that
// goroutine, off the measuring path.
type intervals struct {
	recorder recorder
	totals   totals
	cell     plan.Cell
	watcher  *watcher      // nil if nobody watches
	every    time.Duration // how often is looked

	file   io.WriteCloser // nil if nothing is written
	log    *histogram.LogWriter
	err    error                // the first error of writing
	seen   *observation         // nil if nothing is observed
	likely [2]confidence.Series // response and service of the window, an interval each
	start  time.Time
	from   time.Duration // where the current interval began
	taken  totals        // the current interval so far
	fresh  totals        // empty between looks

	over  chan time.Duration // the offset at which the run ended
	ended chan struct{}
}

func newIntervals(o Options, cell plan.Cell, around surroundings) (*intervals, error) {
	w := newWatcher(o, cell, around)
	in := &intervals{
		recorder: recorder{histogram.NewRecorder(int(allSeries), shards)},
		cell:     cell, watcher: w, every: w.every(o), seen: observe(o.Observer),
		over: make(chan time.Duration, 1), ended: make(chan struct{}),
	}
	for s := range in.totals {
		in.totals[s], in.taken[s], in.fresh[s] = histogram.New(), histogram.New(), histogram.New()
	}
	if o.Folder != nil {
		var err error
		if in.file, err = o.Folder.CreateIntervals(); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// begin is called when the schedule begins.
func (in *intervals) begin(start time.Time) {
	in.start = start
	in.seen.begin()
	if in.file != nil {
		in.log = histogram.NewLogWriter(in.file, start)
	}
	go in.loop()
}

// end takes the last interval and returns the first error of writing.
func (in *intervals) end(elapsed time.Duration) error {
	if !in.start.IsZero() {
		in.over <- elapsed
		<-in.ended
	}
	if in.seen != nil {
		in.seen.stop()
	}
	if in.file == nil {
		return nil
	}
	return errors.Join(in.err, in.file.Close())
}

// keep writes the current interval, which ends at the offset to.
func (in *intervals) keep(to time.Duration) {
	for s, h := range in.taken {
		in.write(tags[s], to, h)
	}
	if to > in.cell.Settings.Warmup {
		in.likely[response].Add(in.taken[response])
		in.likely[service].Add(in.taken[service])
	}
	in.observe(to)
}

// renew begins an interval at the offset from.
func (in *intervals) renew(from time.Duration) {
	in.from = from
	for _, h := range in.taken {
		h.Reset()
	}
}

// observe takes what was seen of the process and the machine.
func (in *intervals) observe(to time.Duration) {
	if in.seen == nil {
		return
	}
	in.seen.take(in.from, to, in.taken[response].Max(), to > in.cell.Settings.Warmup)
	in.write("hiccup", to, in.seen.taken)
}

// write writes one line of the log, if the interval has anything of that tag.
// After an error it writes no more: the file ends with whole lines.
func (in *intervals) write(tag string, to time.Duration, h *histogram.Histogram) {
	if in.log == nil || in.err != nil || h.Count() == 0 {
		return
	}
	if err := in.log.Write(tag, in.from, to, h); err != nil {
		in.err = fmt.Errorf("measure: writing the interval log: %w", err)
	}
}
