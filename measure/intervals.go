package measure

import (
	"errors"
	"time"

	"github.com/brokerbench/brokerbench/plan"
)

// period is the length of an interval of the log.
const period = time.Second

// intervals takes an interval once a second: it adds up the histograms, writes
// the log, samples the observer and reports progress. begin starts a goroutine
// and end ends it; all of this happens on that goroutine, off the measuring path.
type intervals struct {
	recording recording
	log       *intervalLog // nil: nothing is written
	observed  *observation // nil: nobody observes
	bounds    bounds
	reporter  *reporter // nil: nobody wants progress
	err       error     // the first error of adding up

	warmup time.Duration
	every  time.Duration // between two steps
	start  time.Time
	from   time.Duration // where the current interval began

	over  chan time.Duration // the offset at which the run ended
	ended chan struct{}
}

func newIntervals(o Options, cell plan.Cell, around surroundings) (*intervals, error) {
	in := &intervals{
		recording: newRecording(), observed: newObservation(o.Observer), warmup: cell.Settings.Warmup,
		over: make(chan time.Duration, 1), ended: make(chan struct{}),
	}
	in.reporter = newReporter(o, cell, around, &in.recording, in.observed)
	in.every = in.reporter.every(o)
	var err error
	in.log, err = createLog(o.Folder)
	return in, err
}

// begin is called when the schedule begins.
func (in *intervals) begin(start time.Time) {
	in.start = start
	in.observed.begin()
	in.log.begin(start)
	go in.loop()
}

// end takes the last interval and returns the first error of writing.
func (in *intervals) end(elapsed time.Duration) error {
	if !in.start.IsZero() {
		in.over <- elapsed
		<-in.ended
	}
	in.observed.end()
	return errors.Join(in.err, in.log.close())
}

// loop takes an interval at every whole second of the schedule, with the steps
// between them that progress asks for.
func (in *intervals) loop() {
	defer close(in.ended)
	for at := in.after(0); ; at = in.after(at) {
		select {
		case <-time.After(at - time.Since(in.start)):
			in.step(time.Since(in.start), at%period == 0)
		case elapsed := <-in.over:
			in.step(max(elapsed, in.from), true)
			return
		}
	}
}

// after returns when the next step is due: at the multiples of every, and at
// whole seconds.
func (in *intervals) after(at time.Duration) time.Duration {
	return min(at-at%in.every+in.every, at-at%period+period)
}

// step collects what was recorded until the offset to and reports progress. It
// ends the current interval there, or leaves it open.
func (in *intervals) step(to time.Duration, ends bool) {
	in.err = errors.Join(in.err, in.recording.collect())
	if ends {
		in.take(to)
	}
	in.reporter.report(to, ends)
	if ends {
		in.from = to
		in.recording.next()
	}
}

// take takes the current interval, which ends at the offset to.
func (in *intervals) take(to time.Duration) {
	current, window := in.recording.current, to > in.warmup
	for s, h := range current {
		in.log.write(tags[s], in.from, to, h)
	}
	if window {
		in.bounds.add(current)
	}
	if in.observed != nil {
		in.observed.take(in.from, to, current[response].Max(), window)
		in.log.write("hiccup", in.from, to, in.observed.current)
	}
}
