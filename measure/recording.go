package measure

import (
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/backlog"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/internal/users"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// shards returns over how many locks the recording goroutines spread: one for each
// that can run at a time, and not so many that adding them up each second costs more
// than they save.
func shards() int { return min(max(runtime.GOMAXPROCS(0), 4), 16) }

// recorder hands the times of each message to the histograms. It allocates
// nothing.
type recorder struct {
	*histogram.Recorder

	acked    *record.Bitmap // of the messages that were acknowledged, for the audit; nil without one
	slowest  slowest        // acknowledgement of each connection; nil unless the audit needs it
	shortest shortest       // of the window's messages
	worst    *record.Worst  // of the same; nil: they are not kept
	oneWay   *oneWay        // the two halves of the way; nil: it is not split
	sized    bool           // messages have several sizes, each of which has its own series
	groups   record.Groups  // of consumers; none if each connection consumes what it sends
	origins  *record.Groups // partitions of messages with keys; nil without

	backlog *backlog.Backlog // nil without one
	users   *users.Users     // nil without any

	// The histograms of the sections of the window, and when they end; nil without sections.
	sections []*histogram.Recorder
	ends     load.Sections

	// The recorder of Options, which comes first; each may be nil.
	ops     load.Recorder
	acks    load.AckRecorder
	trouble load.TroubleRecorder
}

// also gives everything to another recorder first; it may be nil.
func (r *recorder) also(other load.Recorder) {
	r.ops = other
	r.acks, _ = other.(load.AckRecorder)
	r.trouble, _ = other.(load.TroubleRecorder)
}

// Record implements load.Recorder.
func (r *recorder) Record(op load.Op) {
	if r.ops != nil {
		r.ops.Record(op)
	}
	if op.Warmup {
		samples := [1]histogram.Sample{{Series: record.Warmup, Value: op.Response()}}
		r.Recorder.Record(op.Conn, samples[:])
		return
	}
	r.shortest.keep(op.Conn, op.Response())
	r.worst.Record(op.Due, op.Response())
	r.users.Record(op)
	r.origin(op.Partition, op.Response())
	samples := [7]histogram.Sample{
		{Series: record.Response, Value: op.Response()},
		{Series: record.Service, Value: op.Service()},
		{Series: record.Lag, Value: op.Lag()},
		{Series: record.Held, Value: op.Held},
	}
	n := 4
	if op.Queued {
		n -= 2 // it waited for a slot: neither the generator nor a call of Request kept it
	}
	if op.Acked {
		samples[n] = histogram.Sample{Series: record.Complete, Value: op.Complete - op.Due}
		n++
	}
	if r.oneWay != nil {
		samples[n] = histogram.Sample{Series: record.Outward, Value: r.oneWay.outward.keep(op.Echoed - op.Due)}
		samples[n+1] = histogram.Sample{Series: record.Back, Value: r.oneWay.back.keep(op.Done - op.Echoed)}
		n += 2
	}
	r.record(op.Due, op.Conn, op.Class, samples[:n])
}

// RecordAck implements load.AckRecorder.
func (r *recorder) RecordAck(a load.Ack) {
	if r.acked != nil {
		r.acked.Mark(a.Conn, a.Seq)
	}
	if r.slowest != nil {
		r.slowest.keep(a.Conn, a.Wait())
	}
	if r.acks != nil {
		r.acks.RecordAck(a)
	}
	r.backlog.RecordAck(a)
	if a.Warmup {
		return
	}
	samples := [2]histogram.Sample{{Series: record.Ack, Value: a.Wait()}, {Series: record.Complete, Value: a.Complete - a.Due}}
	n := 1
	if a.Done {
		n++
	}
	r.record(a.Due, a.Conn, a.Class, samples[:n])
}

// record records the samples of a message, 7 at most; with several sizes once more in the series of
// its size, which messages of sections do not have.
func (r *recorder) record(due time.Duration, conn int, class uint8, samples []histogram.Sample) {
	if !r.sized {
		r.of(due).Record(conn, samples)
		return
	}
	var all [14]histogram.Sample
	n := copy(all[:], samples)
	for _, s := range samples {
		if record.HasSizes(s.Series) {
			all[n] = histogram.Sample{Series: record.OfSize(s.Series, int(class)), Value: s.Value}
			n++
		}
	}
	r.Recorder.Record(conn, all[:n])
}

// RecordDelivery implements load.DeliveryRecorder.
func (r *recorder) RecordDelivery(d load.Delivery) {
	r.backlog.RecordDelivery(d)
	if d.Warmup {
		return
	}
	samples := [2]histogram.Sample{{Series: record.Each, Value: d.Response()}, {Series: record.First, Value: d.Response()}}
	n := 1
	if d.First {
		n++
	}
	r.record(d.Due, d.Conn, d.Class, samples[:n])
	r.groups.Record(requester.Member{Group: d.Group, Number: d.Member}, d.Response())
	r.origin(d.Partition, d.Response())
}

// origin records the partition from which a message came; 0: it is not known.
func (r *recorder) origin(partition uint8, response time.Duration) {
	if partition > 0 && r.origins != nil {
		r.origins.Record(requester.Member{Group: int(partition) - 1}, response)
	}
}

// RecordFailure implements load.TroubleRecorder.
func (r *recorder) RecordFailure(conn int, seq uint64) {
	if r.trouble != nil {
		r.trouble.RecordFailure(conn, seq)
	}
}

// RecordDuplicate implements load.TroubleRecorder.
func (r *recorder) RecordDuplicate(conn int, at time.Duration) {
	if r.trouble != nil {
		r.trouble.RecordDuplicate(conn, at)
	}
}

// RecordPublish implements load.PublishRecorder.
func (r *recorder) RecordPublish(p load.Publish) {
	if p.Warmup {
		return
	}
	samples := [1]histogram.Sample{{Series: record.Published, Value: p.Wait()}}
	r.of(p.Due).Record(p.Conn, samples[:])
}

// recording adds up what the recorder was given. Only the recorder is used by
// several goroutines.
type recording struct {
	recorder *recorder
	totals   record.Histograms // of the cell so far
	current  record.Histograms // of the current interval so far
	fresh    record.Histograms // empty but between swap and collect; those of the recorder, which has no gaps
	whole    *recording        // which all is added to, too; nil: this is none of a section
}

func newRecording(connections int) recording {
	return recording{
		recorder: &recorder{Recorder: histogram.NewRecorder(record.Required, shards()), shortest: make(shortest, connections)},
		totals:   record.NewHistograms(), current: record.NewHistograms(), fresh: record.NewHistograms(),
	}
}

// add adds series. It is called before anything is recorded.
func (r *recording) add(series ...int) {
	r.recorder.Grow(slices.Max(series) + 1)
	for s := range slices.Max(series) + 1 {
		r.fresh.Grow(s)
	}
	r.grow(series...)
}

// grow adds series that the recorder does not have.
func (r *recording) grow(series ...int) {
	r.totals.Grow(series...)
	r.current.Grow(series...)
}

// series returns how many the recorder has. Some of them may not be in use.
func (r *recording) series() int {
	if n := slices.Index(r.fresh[:], nil); n >= 0 {
		return n
	}
	return record.AllSeries
}

// swap takes what was recorded since the last call, for collect.
func (r *recording) swap() {
	r.recorder.Swap(r.fresh[:r.series()])
	r.recorder.users.Swap()
}

// swapped yields what swap took, by series.
func (r *recording) swapped(yield func(int, *histogram.Histogram) bool) {
	for s, h := range r.fresh[:r.series()] {
		if !yield(s, h) {
			return
		}
	}
	for i, h := range r.recorder.users.Fresh() {
		if !yield(record.Users+i, h) {
			return
		}
	}
}

// collect adds what swap took, one series after the other, with a pause after each.
func (r *recording) collect(pause func()) (err error) {
	for s, h := range r.swapped {
		if h.Count() == 0 {
			continue
		}
		err = errors.Join(err, r.current[s].Merge(h), r.totals[s].Merge(h))
		if w := r.whole; w != nil {
			err = errors.Join(err, w.current[s].Merge(h), w.totals[s].Merge(h))
		}
		h.Reset()
		pause()
	}
	return err
}

// oneWay counts the one-way times that a histogram cannot hold: those below zero, which appear
// only between the clocks of two machines.
type oneWay struct{ outward, back belowZero }

// belowZero counts times below zero. It is safe for concurrent use.
type belowZero struct{ count, least atomic.Int64 }

// keep returns a time for the histogram: 0 for a time below zero, which it counts. It then ranks
// below all others, as it should.
func (b *belowZero) keep(v time.Duration) time.Duration {
	if v >= 0 {
		return v
	}
	b.count.Add(1)
	for least := b.least.Load(); int64(v) < least && !b.least.CompareAndSwap(least, int64(v)); {
		least = b.least.Load()
	}
	return 0
}

func (b *belowZero) result() results.BelowZero {
	return results.BelowZero{Count: b.count.Load(), LeastNS: b.least.Load()}
}

// describe writes the times below zero into a cell, and withholds what its clocks cannot tell.
func (w *oneWay) describe(c *results.Cell) {
	if w == nil {
		return
	}
	if c.Echo != nil && c.Echo.Clock != nil {
		c.Echo.Clock.Outward, c.Echo.Clock.Back = w.outward.result(), w.back.result()
	}
	c.WithholdOneWay()
}
