package measure

import (
	"errors"
	"runtime"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/requester/load"
)

// shards returns over how many locks the recording goroutines spread: one for each
// that can run at a time, and not so many that adding them up each second costs more
// than they save.
func shards() int { return min(max(runtime.GOMAXPROCS(0), 4), 16) }

// recorder hands the times of each message to the histograms. It allocates
// nothing.
type recorder struct {
	*histogram.Recorder

	promised *promised // where acknowledgements are marked, for an audit or for faults; nil: nobody needs them
	harm     *harm     // what faults do; nil: there are none
	oneWay   *oneWay   // the two halves of the way; nil: it is not split
}

// Record implements load.Recorder.
func (r recorder) Record(op load.Op) {
	r.harm.record(op)
	if op.Warmup {
		samples := [1]histogram.Sample{{Series: warmup, Value: op.Response()}}
		r.Recorder.Record(op.Conn, samples[:])
		return
	}
	samples := [7]histogram.Sample{
		{Series: response, Value: op.Response()},
		{Series: service, Value: op.Service()},
		{Series: lag, Value: op.Lag()},
		{Series: held, Value: op.Held},
	}
	n := 4
	if op.Queued {
		n -= 2 // it waited for a slot: neither the generator nor a call of Request kept it
	}
	if op.Acked {
		samples[n] = histogram.Sample{Series: complete, Value: op.Complete - op.Due}
		n++
	}
	if r.oneWay != nil {
		samples[n] = histogram.Sample{Series: outward, Value: r.oneWay.outward.keep(op.Echoed - op.Due)}
		samples[n+1] = histogram.Sample{Series: back, Value: r.oneWay.back.keep(op.Done - op.Echoed)}
		n += 2
	}
	r.Recorder.Record(op.Conn, samples[:n])
}

// RecordAck implements load.AckRecorder.
func (r recorder) RecordAck(a load.Ack) {
	if r.promised != nil {
		r.promised.mark(a.Conn, a.Seq)
	}
	r.harm.recordAck(a)
	if a.Warmup {
		return
	}
	samples := [2]histogram.Sample{{Series: ack, Value: a.Wait()}, {Series: complete, Value: a.Complete - a.Due}}
	n := 1
	if a.Done {
		n++
	}
	r.Recorder.Record(a.Conn, samples[:n])
}

// RecordFailure implements load.TroubleRecorder.
func (r recorder) RecordFailure(conn int, seq uint64) { r.harm.recordFailure(conn, seq) }

// RecordDuplicate implements load.TroubleRecorder.
func (r recorder) RecordDuplicate(_ int, at time.Duration) { r.harm.recordDuplicate(at) }

// RecordPublish implements load.PublishRecorder.
func (r recorder) RecordPublish(p load.Publish) {
	if p.Warmup {
		return
	}
	samples := [1]histogram.Sample{{Series: published, Value: p.Wait()}}
	r.Recorder.Record(p.Conn, samples[:])
}

// after returns a recorder that gives each message to first, if it is not nil, and
// then to r.
func (r recorder) after(first load.Recorder) load.Recorder {
	if first == nil {
		return r
	}
	return both{r, first}
}

// both are two recorders, of which the first is given each op before the recorder is.
type both struct {
	recorder

	first load.Recorder
}

// Record implements load.Recorder.
func (b both) Record(op load.Op) {
	b.first.Record(op)
	b.recorder.Record(op)
}

// recording adds up what the recorder was given. Only the recorder is used by
// several goroutines.
type recording struct {
	recorder recorder
	totals   totals // of the cell so far
	current  totals // of the current interval so far
	fresh    totals // empty but between swap and collect; those of the recorder, which has no gaps
}

func newRecording() recording {
	return recording{
		recorder: recorder{Recorder: histogram.NewRecorder(plainSeries, shards())},
		totals:   newTotals(), current: newTotals(), fresh: newTotals(),
	}
}

// add adds series. It is called before anything is recorded.
func (r *recording) add(series ...int) {
	r.recorder.Grow(slices.Max(series) + 1)
	for s := range slices.Max(series) + 1 {
		r.fresh.grow(s)
	}
	r.totals.grow(series...)
	r.current.grow(series...)
}

// series returns how many the recorder has. Some of them may not be in use.
func (r *recording) series() int {
	if n := slices.Index(r.fresh[:], nil); n >= 0 {
		return n
	}
	return allSeries
}

// swap takes what was recorded since the last call, for collect.
func (r *recording) swap() { r.recorder.Swap(r.fresh[:r.series()]) }

// collect adds what swap took, one series after the other, with a rest after each.
func (r *recording) collect(rest func()) (err error) {
	for s, h := range r.fresh[:r.series()] {
		if h.Count() == 0 {
			continue
		}
		err = errors.Join(err, r.current[s].Merge(h), r.totals[s].Merge(h))
		h.Reset()
		rest()
	}
	return err
}

// next begins the next interval.
func (r *recording) next() {
	for _, h := range r.current {
		if h != nil {
			h.Reset()
		}
	}
}
