package measure

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan"
)

const period = record.Period

// intervals takes an interval once a second: it adds up the histograms, writes
// the log, samples process and nodes, and reports progress. begin starts a goroutine
// and end ends it; all of this happens on that goroutine, off the measuring path.
//
// It shares the Go processors with the goroutines that take replies, and a
// goroutine that works for milliseconds keeps them waiting as long: so the work is
// cut into pieces of a tenth of a millisecond or two, which are spread over the
// second: see pacer.
type intervals struct {
	recording recording   // of the whole window
	sections  []*section  // of it
	log       *record.Log // nil: nothing is written
	observed  *selfSampler
	nodes     *record.NodeSampler
	sampling
	analysis Analysis  // nil: none
	reporter *reporter // nil: progress is not reported
	err      error     // the first error of adding up

	window record.Window
	every  time.Duration // between two steps
	start  time.Time
	from   time.Duration // where the current interval began
	pacer  pacer

	shortest []time.Duration // by connection, of the interval that was taken last
	sizes    int             // how many sizes messages have, if several; else 0

	over  chan time.Duration // the offset at which the run ended
	ended chan struct{}
}

func newIntervals(ctx context.Context, s *session) (*intervals, error) {
	in := &intervals{
		recording: newRecording(max(s.cell.Shape.Connections, 1)), analysis: s.o.Analysis,
		window: record.WindowOf(s.cell.Settings),
		over:   make(chan time.Duration, 1), ended: make(chan struct{}), sizes: len(s.cell.Shape.Sizes.Classes()),
	}
	if in.sections = newSections(s, &in.recording); in.sections != nil {
		in.analysis = nil // the sections have theirs
	}
	in.sampling = newSampling(s)
	in.recording.recorder.worst = in.worst
	in.recording.recorder.sized = in.sizes > 0
	in.sized(record.Response, record.Service)
	in.shortest = make([]time.Duration, len(in.recording.recorder.shortest))
	var err error
	for _, create := range []func() error{
		func() error { in.log, err = record.CreateLog(s.o.Folder); return err },
		func() error { in.observed, err = newSelfSampler(s.o.Observer, s.o.Folder); return err },
		func() error { in.nodes, err = record.NewNodeSampler(s.o.Nodes, s.cell, s.o.Folder); return err },
	} {
		if err = s.o.Room(ctx, create); err != nil {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(err, in.close())
	}
	in.reporter = newReporter(s, in)
	in.every = in.reporter.every(s.o)
	return in, nil
}

// acknowledged is called before begin, of a system that acknowledges.
func (in *intervals) acknowledged() {
	in.add(record.Ack, record.Complete)
	in.sized(record.Ack, record.Complete)
}

// sized adds series of each of several sizes; none if all messages have one.
func (in *intervals) sized(series ...int) {
	for class := range in.sizes {
		for _, s := range series {
			in.recording.add(record.OfSize(s, class))
		}
	}
}

// add adds series, of all sections too.
func (in *intervals) add(series ...int) {
	in.recording.add(series...)
	for _, s := range in.sections {
		s.recording.add(series...)
	}
}

// publishes is called before begin, of a client that reports when a message is on the socket.
func (in *intervals) publishes() { in.add(record.Published) }

// grouped is called before begin, if there are groups of consumers.
func (in *intervals) grouped(t plan.Topology) {
	in.recording.add(record.First, record.Each)
	in.sized(record.First, record.Each)
	in.recording.recorder.groups = record.NewGroups(t.Groups, t.Members)
}

// echoes is called before begin, if an echo reports when it had each message.
func (in *intervals) echoes() {
	in.add(record.Outward, record.Back)
	in.recording.recorder.oneWay = new(oneWay)
}

// begin is called when the schedule begins.
func (in *intervals) begin(start time.Time) {
	in.start = start
	in.sampling.begin(start)
	in.observed.begin(in.tick)
	in.log.Begin(start)
	go in.loop()
}

// end takes the last interval, which ends where the run did. Later calls do nothing.
func (in *intervals) end(elapsed time.Duration) {
	if in.start.IsZero() || in.over == nil {
		return
	}
	in.pacer.over.Store(true)
	in.over <- elapsed
	<-in.ended
	in.over = nil
	in.observed.end()
	in.sampling.end()
}

// writeWhole writes into the log the histograms of the whole cell: how long the echo had messages, and the times of
// groups and partitions.
func (s *session) writeWhole(elapsed time.Duration) {
	s.echo.write(s.log, elapsed)
	r := s.recording.recorder
	r.groups.Write(s.log, record.GroupTag, s.window.From, elapsed)
	if r.origins != nil {
		r.origins.Write(s.log, record.PartitionTag, s.window.From, elapsed)
	}
}

// close closes the files and returns the errors.
func (in *intervals) close() error {
	began := !in.start.IsZero()
	in.sampling.end()
	return errors.Join(in.err, cmp.Or(in.log.Close(), in.observed.close(began), in.nodes.Close(began)))
}

// loop takes an interval at every whole second of the schedule, with the steps
// between them that progress asks for. Seconds in which this goroutine did not get
// to run make one longer interval.
func (in *intervals) loop() {
	defer close(in.ended)
	in.nodes.Begin(in.start) // may wait for other machines
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
	for _, s := range in.sections {
		s.recording.swap()
	}
	in.pacer.begin(ends)
	if ends {
		in.observed.take(in.from, to, in.pacer.pause)
		in.nodes.Take(in.from, to, in.pacer.pause)
	}
	in.err = errors.Join(in.err, in.recording.collect(in.pacer.pause))
	for _, s := range in.sections {
		in.err = errors.Join(in.err, s.recording.collect(in.pacer.pause))
	}
	if ends {
		in.take(to)
	}
	in.reporter.report(to, ends)
	if ends {
		for s := range in.taken(to) {
			in.recording.current[s].Reset()
		}
		in.from = to
	}
}

// taken yields the series of the current interval, which ends at the offset to. Replies in the
// window before an interval of the warm-up could end belong to the next one.
func (in *intervals) taken(to time.Duration) iter.Seq2[int, *histogram.Histogram] {
	return func(yield func(int, *histogram.Histogram) bool) {
		for s, h := range in.recording.current {
			if h != nil && (s == record.Warmup || !in.window.Before(in.from, to)) && !yield(s, h) {
				return
			}
		}
	}
}

// take takes the current interval, which ends at the offset to.
func (in *intervals) take(to time.Duration) {
	interval := record.Interval{From: in.from, To: to, Histograms: in.recording.current}
	for s, h := range in.taken(to) {
		in.log.Write(record.Tags[s], in.from, to, h)
		in.pacer.pause()
	}
	if in.observed != nil {
		interval.Hiccup = in.observed.keep(in.window.Has(in.from, to))
		in.log.Write(record.HiccupTag, in.from, to, in.observed.current)
		in.pacer.pause()
	}
	in.takeSections(to, interval.Hiccup)
	if in.analysis != nil {
		in.recording.recorder.shortest.take(in.shortest, in.pacer.pause)
		interval.Shortest = in.shortest
		in.analysis.Interval(interval, in.pacer.pause)
	}
}
