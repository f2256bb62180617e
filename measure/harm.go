package measure

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester/load"
)

// A harm records what faults do to the messages of a cell. Its methods may be called
// concurrently, wait for nobody, and allocate as promised.mark does. A nil harm records
// nothing.
type harm struct {
	cell        plan.Cell
	connections int
	deliveries  *silences
	acks        *silences
	slots       *slots

	first       time.Duration // when the first fault is to begin
	worstWarmup atomic.Int64  // the longest response of messages of the warm-up that came before it
	worstBefore atomic.Int64  // and of those of the window; 0: none came

	done, failed *promised
	acked        *promised // that of the audit, if there is one
	falls        []*fallen // of the faults that keep consumers from reading, in the order of the plan
}

// A fallen follows how consumers catch up.
type fallen struct {
	resumed atomic.Int64 // when they went on: messages due before were held up; 0: not yet
	late    atomic.Int64 // how many of these came then
	queued  atomic.Int64 // how many of these had waited for a slot
	drained atomic.Int64 // when the last of them did
}

// newHarm returns nil for a cell without faults. acked is where acknowledgements are marked;
// nil if nobody does yet.
func newHarm(cell plan.Cell, acked *promised) *harm {
	s := cell.Settings
	if len(s.Faults) == 0 {
		return nil
	}
	edges, connections := []time.Duration{s.Warmup}, max(cell.Shape.Connections, 1)
	h := &harm{
		cell: cell, connections: connections, first: firstOf(s), acked: acked, done: newPromised(connections), failed: newPromised(connections),
	}
	for _, f := range s.Faults {
		edges = append(edges, s.Warmup+f.At)
		if f.Do == plan.Fall {
			h.falls = append(h.falls, &fallen{})
		}
	}
	if h.acked == nil {
		h.acked = newPromised(connections)
	}
	slices.Sort(edges)
	h.deliveries, h.acks = newSilences(connections, edges), newSilences(connections, edges)
	h.slots = newSlots(s.Warmup + s.Duration)
	return h
}

// ofPart makes it one of a part of the cell: how silent all are together is for who adds up the
// parts to say, and needs more of their silences.
func (h *harm) ofPart() *harm {
	if h != nil {
		h.deliveries.all.init(h.deliveries.all.edges, keptOfParts)
		h.acks.all.init(h.acks.all.edges, keptOfParts)
	}
	return h
}

// firstOf returns when the first fault is to begin.
func firstOf(s plan.Settings) time.Duration {
	first := s.Faults[0].At
	for _, f := range s.Faults {
		first = min(first, f.At)
	}
	return s.Warmup + first
}

// marks returns where acknowledgements are marked.
func (h *harm) marks(audit *promised) *promised {
	if h == nil {
		return audit
	}
	return h.acked
}

func (h *harm) record(op load.Op) {
	if h == nil {
		return
	}
	h.done.mark(op.Conn, op.Seq)
	h.deliveries.note(op.Conn, op.Done)
	h.slots.done(op.Due, op.Response())
	if op.Done < h.first {
		raise(h.worst(op.Due), int64(op.Response()))
	}
	if op.Disordered {
		h.slots.at(op.Done).disordered.Add(1)
	}
	for _, f := range h.falls {
		f.record(op)
	}
}

// worst returns where the longest response before the faults is kept, of messages due then.
func (h *harm) worst(due time.Duration) *atomic.Int64 {
	if due < h.cell.Settings.Warmup {
		return &h.worstWarmup
	}
	return &h.worstBefore
}

// slack returns how long a message may be on its way: what it took before the first fault. The
// warm-up, in which connections and caches are made, counts only where the window says too little.
func (h *harm) slack() time.Duration {
	usual := h.worstBefore.Load()
	if usual == 0 || h.first < h.cell.Settings.Warmup+leastQuiet {
		usual = max(usual, h.worstWarmup.Load())
	}
	return time.Duration(usual)
}

func (h *harm) recordAck(a load.Ack) {
	if h != nil {
		h.acks.note(a.Conn, a.Acked)
	}
}

func (h *harm) recordFailure(conn int, seq uint64) {
	if h != nil {
		h.failed.mark(conn, seq)
	}
}

func (h *harm) recordDuplicate(at time.Duration) {
	if h != nil {
		h.slots.at(at).duplicates.Add(1)
	}
}

func (f *fallen) record(op load.Op) {
	resumed := time.Duration(f.resumed.Load())
	if resumed == 0 || op.Due >= resumed || op.Done < resumed {
		return
	}
	f.late.Add(1)
	if op.Queued {
		f.queued.Add(1)
	}
	raise(&f.drained, int64(op.Done))
}

// raise sets a maximum to v, if it is smaller.
func raise(maximum *atomic.Int64, v int64) {
	for {
		was := maximum.Load()
		if v <= was || maximum.CompareAndSwap(was, v) {
			return
		}
	}
}
