package impact

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// A recorder records what faults do to the messages of a cell. Its methods may be called
// concurrently, take no lock for long, and allocate as [record.Bitmap.Mark] does.
type recorder struct {
	worstWarmup int64 // the longest response of messages of the warm-up that came before the first fault
	worstBefore int64 // and of those of the window; 0: none came

	cell        plan.Cell
	connections int
	deliveries  *connGaps
	acks        *connGaps
	slots       *slots

	first time.Duration // when the first fault is due

	done, failed, acked *record.Bitmap
	pauses              []*consumerPause // in the order of the plan
}

// newRecorder returns the recorder of a cell with faults. One of a part keeps more of the gaps
// that all connections have in common, because the gaps of the whole cell are among them.
func newRecorder(cell plan.Cell, ofPart bool) *recorder {
	s, connections := cell.Settings, max(cell.Shape.Connections, 1)
	edges := []time.Duration{s.Warmup}
	r := &recorder{
		cell: cell, connections: connections, first: s.Warmup + s.Faults[0].At,
		done: record.NewBitmap(connections), failed: record.NewBitmap(connections), acked: record.NewBitmap(connections),
	}
	for _, f := range s.Faults {
		edges, r.first = append(edges, s.Warmup+f.At), min(r.first, s.Warmup+f.At)
		if f.Do == plan.ConsumerPause {
			r.pauses = append(r.pauses, &consumerPause{Fault: results.Fault{Plan: f, Error: "the run ended before"}})
		}
	}
	slices.Sort(edges)
	kept := keptGaps
	if ofPart {
		kept = keptOfParts
	}
	r.deliveries, r.acks = newConnGaps(connections, edges, kept), newConnGaps(connections, edges, kept)
	r.slots = newSlots(s.Warmup + s.Duration)
	return r
}

// Record implements load.Recorder.
func (r *recorder) Record(op load.Op) {
	r.done.Mark(op.Conn, op.Seq)
	r.deliveries.note(op.Conn, op.Done)
	r.slots.done(op.Due, op.Response())
	if op.Done < r.first {
		raise(r.worst(op.Due), int64(op.Response()))
	}
	if op.Disordered {
		atomic.AddUint32(&r.slots.at(op.Done).Disordered, 1)
	}
	for _, p := range r.pauses {
		p.record(op)
	}
}

// RecordAck implements load.AckRecorder.
func (r *recorder) RecordAck(a load.Ack) {
	r.acked.Mark(a.Conn, a.Seq)
	r.acks.note(a.Conn, a.Acked)
}

// RecordFailure implements load.TroubleRecorder.
func (r *recorder) RecordFailure(conn int, seq uint64) { r.failed.Mark(conn, seq) }

// RecordDuplicate implements load.TroubleRecorder.
func (r *recorder) RecordDuplicate(_ int, at time.Duration) {
	atomic.AddUint32(&r.slots.at(at).Duplicates, 1)
}

// worst returns where the longest response before the faults is kept, of messages due then.
func (r *recorder) worst(due time.Duration) *int64 {
	if due < r.cell.Settings.Warmup {
		return &r.worstWarmup
	}
	return &r.worstBefore
}

// slack returns how long a message may be on its way: the longest response before the first fault.
// The warm-up, in which connections and caches are made, counts only if the window before it is short.
func (r *recorder) slack() time.Duration {
	usual := r.worstBefore
	if usual == 0 || r.first < r.cell.Settings.Warmup+leastBefore {
		usual = max(usual, r.worstWarmup)
	}
	return time.Duration(usual)
}

// raise sets a maximum to v, if it is smaller.
func raise(maximum *int64, v int64) {
	for {
		was := atomic.LoadInt64(maximum)
		if v <= was || atomic.CompareAndSwapInt64(maximum, was, v) {
			return
		}
	}
}
