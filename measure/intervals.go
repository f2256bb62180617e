package measure

import (
	"cmp"
	"errors"
	"time"

	"github.com/brokerbench/brokerbench/plan"
)

// period is the length of an interval of the log.
const period = time.Second

// intervals takes an interval once a second: it adds up the histograms, writes
// the log, samples the observer and reports progress. begin starts a goroutine
// and end ends it; all of this happens on that goroutine, off the measuring path.
//
// It shares the Go processors with the goroutines that take replies, and a
// goroutine that works for milliseconds keeps them waiting as long: so the work is
// cut into pieces of a tenth of a millisecond or two, which are spread over the
// second: see rests.
type intervals struct {
	recording recording
	log       *intervalLog // nil: nothing is written
	observed  *observation // nil: nobody observes
	nodes     *watching    // nil: the target's nodes are not known
	bounds    bounds
	watch     *Watch    // nil: nobody watches the objectives
	reporter  *reporter // nil: nobody wants progress
	err       error     // the first error of adding up

	window span          // the measured window
	every  time.Duration // between two steps
	start  time.Time
	from   time.Duration // where the current interval began
	rests  rests

	over  chan time.Duration // the offset at which the run ended
	ended chan struct{}
}

// A span is a part of the schedule, from one offset to another.
type span struct{ from, to time.Duration }

func newIntervals(o Options, cell plan.Cell, around surroundings) (*intervals, error) {
	log, err := createLog(o.Folder)
	if err != nil {
		return nil, err
	}
	observed, err := newObservation(o.Observer, o.Folder)
	if err != nil {
		return nil, errors.Join(err, log.close())
	}
	nodes, err := newWatching(o.Nodes, o.Folder)
	if err != nil {
		return nil, errors.Join(err, observed.close(false), log.close())
	}
	in := &intervals{
		recording: newRecording(), log: log, observed: observed, nodes: nodes, watch: o.watch,
		window: span{cell.Settings.Warmup, cell.Settings.Warmup + cell.Settings.Duration},
		over:   make(chan time.Duration, 1), ended: make(chan struct{}),
	}
	in.reporter = newReporter(o, cell, around, &in.recording, in.observed, in.rests.rest)
	in.every = in.reporter.every(o)
	in.bounds.expect(cell.Settings.Duration)
	return in, nil
}

// acknowledged is called before begin, of a system that acknowledges.
func (in *intervals) acknowledged() {
	in.recording.add(ack, complete)
	in.bounds.acknowledged(in.window.to - in.window.from)
}

// publishes is called before begin, of a client that tells when a message is on the socket.
func (in *intervals) publishes() { in.recording.add(published) }

// echoes is called before begin, if an echo tells when it had each message.
func (in *intervals) echoes() {
	in.recording.add(outward, back)
	in.recording.recorder.oneWay = new(oneWay)
}

// begin is called when the schedule begins.
func (in *intervals) begin(start time.Time) {
	in.start = start
	in.observed.begin()
	in.nodes.begin(start)
	in.log.begin(start)
	go in.loop()
}

// end takes the last interval, which ends where the run did. Later calls do nothing.
func (in *intervals) end(elapsed time.Duration) {
	if in.start.IsZero() || in.over == nil {
		return
	}
	in.rests.over.Store(true)
	in.over <- elapsed
	<-in.ended
	in.over = nil
	in.observed.end()
}

// close closes the files and returns the errors.
func (in *intervals) close() error {
	return errors.Join(in.err, cmp.Or(in.log.close(), in.observed.close(!in.start.IsZero()), in.nodes.close(!in.start.IsZero())))
}

// loop takes an interval at every whole second of the schedule, with the steps
// between them that progress asks for. Seconds in which this goroutine did not get
// to run make one longer interval.
func (in *intervals) loop() {
	defer close(in.ended)
	for at := in.after(0); ; at = in.after(max(at, time.Since(in.start))) {
		select {
		case <-time.After(at - time.Since(in.start)):
			now := time.Since(in.start)
			in.step(now, now/period > in.from/period)
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
	in.recording.swap()
	in.rests.begin(ends)
	if ends {
		in.observed.take(in.from, to, in.rests.rest)
		in.nodes.take(in.from, to, in.rests.rest)
	}
	in.err = errors.Join(in.err, in.recording.collect(in.rests.rest))
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
	current := in.recording.current
	inWindow := to > in.window.from && in.from < in.window.to
	in.nodes.keep(in.from, to, in.window)
	for s, h := range current {
		if h == nil {
			continue
		}
		in.log.write(tags[s], in.from, to, h)
		in.rests.rest()
	}
	if in.observed != nil {
		in.observed.keep(current[response].Max(), inWindow)
		in.log.write("hiccup", in.from, to, in.observed.current)
		in.rests.rest()
	}
	switch {
	case inWindow:
		in.bounds.add(in.from, current, in.rests.rest)
		in.watch.add(current, in.rests.rest)
	case in.from >= in.window.to:
		in.bounds.extend(in.from, current)
		in.watch.extend(current)
	}
}
