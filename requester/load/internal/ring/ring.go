// Package ring keeps the ops of a connection that were sent and are not settled.
package ring

import (
	"sort"
	"time"
)

// A State is where an op that was sent stands.
type State uint8

// The states.
const (
	unused  State = iota
	Pending       // no reply yet, holds a slot
	Expired       // the same, but it no longer holds its slot
	Replied       // done, and no acknowledgement yet
	Settled       // done and acknowledged, if the system acknowledges; or failed
)

// An Entry is an op that was sent.
type Entry struct {
	Due, Sent time.Duration // of one that is replied, Sent is when it came back
	Held      Short
	State     State
	Marks     Marks
}

// Marks are what else is known of an op.
type Marks uint8

// The marks.
const (
	Queued     Marks = 1 << iota // it had to wait for a slot
	Acked                        // the system took responsibility for it
	Disorderly                   // a member of a group had a later op of the same producer before it
)

// Is reports whether the op has a mark.
func (e *Entry) Is(mark Marks) bool { return e.Marks&mark != 0 }

// HoldsSlot tells whether the op counts against the in-flight limit.
func (e *Entry) HoldsSlot() bool { return e.State == Pending }

// Awaited tells whether a reply would make the op done.
func (e *Entry) Awaited() bool { return e.State == Pending || e.State == Expired }

// straggler is an op without a reply that newer ones have overtaken.
type straggler struct {
	seq uint64
	Entry
}

// A Ring holds the ops of one connection that were sent and are not settled. The
// recent ones are a range of sequences, which a reply finds at once. An op that
// is not answered while most of those after it were would make that range as long
// as the run: it is put among the stragglers, which are found by bisection. So
// the size follows the number of ops in flight and missing. The zero value is
// empty.
type Ring struct {
	recent     Deque[Entry]     // by sequence; the first is not settled
	awaited    uint64           // of the recent ones
	stragglers Deque[straggler] // by order; the first is not settled

	scanned, scannedStragglers uint64 // positions below hold no slot: see OldestSlot

	Words *Words // of the same ops; nil without groups
}

// recentAtLeast is how long the range of recent ops may always be.
const recentAtLeast = 2 * chunkSize

// Next returns the sequence of the next op to be sent.
func (r *Ring) Next() uint64 { return r.recent.next }

// Push adds the next op and returns its sequence.
func (r *Ring) Push(e Entry) uint64 {
	// At most one a push: no op pays for what many left behind.
	if n := r.recent.Len(); n >= recentAtLeast && 2*r.awaited < n {
		r.overtake()
	}
	r.awaited++
	return r.recent.Push(e)
}

// overtake puts the oldest recent op among the stragglers.
func (r *Ring) overtake() {
	oldest := *r.recent.Slot(r.recent.base)
	r.Words.overtake(r)
	r.stragglers.Push(straggler{r.recent.base, oldest})
	r.recent.Pop()
	if oldest.State != Replied {
		r.awaited--
	}
	r.trim()
}

// trim forgets the oldest ops that are settled.
func (r *Ring) trim() {
	for r.recent.Len() > 0 && r.recent.Slot(r.recent.base).State == Settled {
		r.recent.Pop()
	}
	for r.stragglers.Len() > 0 && r.stragglers.Slot(r.stragglers.base).State == Settled {
		r.stragglers.Pop()
	}
}

// At returns the entry of seq, or nil if that was settled long ago or never sent.
func (r *Ring) At(seq uint64) *Entry {
	switch {
	case seq >= r.recent.next:
		return nil
	case seq >= r.recent.base:
		return r.recent.Slot(seq)
	}
	if i, ok := r.straggler(seq); ok {
		return &r.stragglers.Slot(i).Entry
	}
	return nil
}

// straggler returns the position of seq among the stragglers; ok is false if it is none of them.
func (r *Ring) straggler(seq uint64) (i uint64, ok bool) {
	s := &r.stragglers
	i = s.base + uint64(sort.Search(int(s.Len()), func(i int) bool { return s.Slot(s.base+uint64(i)).seq >= seq }))
	return i, i < s.next && s.Slot(i).seq == seq
}

// Reply notes that the op of seq, whose entry is e, came back and is not acknowledged. It
// is awaited no more, so that newer ones may overtake it. Its entry then has when it came
// back in place of when it was sent.
func (r *Ring) Reply(seq uint64, e *Entry, done time.Duration) {
	e.State, e.Sent = Replied, done
	if seq >= r.recent.base {
		r.awaited--
	}
}

// Settle ends the op of seq, whose entry is e.
func (r *Ring) Settle(seq uint64, e *Entry) {
	if seq >= r.recent.base && e.State != Replied {
		r.awaited--
	}
	e.State = Settled
	r.trim()
}

// Len returns how many ops are kept.
func (r *Ring) Len() uint64 { return r.recent.Len() + r.stragglers.Len() }

// Oldest returns the oldest op, which is not settled, of a ring that is not empty.
func (r *Ring) Oldest() (seq uint64, e *Entry) {
	if r.stragglers.Len() > 0 {
		s := r.stragglers.Slot(r.stragglers.base)
		return s.seq, &s.Entry
	}
	return r.recent.base, r.recent.Slot(r.recent.base)
}

// Unsettled calls f for each op that is not settled.
func (r *Ring) Unsettled(f func(seq uint64, e *Entry)) {
	for at := r.stragglers.base; at < r.stragglers.next; at++ {
		if s := r.stragglers.Slot(at); s.State != Settled {
			f(s.seq, &s.Entry)
		}
	}
	for at := r.recent.base; at < r.recent.next; at++ {
		if e := r.recent.Slot(at); e.State != Settled {
			f(at, e)
		}
	}
}

// OldestSlot returns the oldest op that holds a slot; ok is false if none does. It
// goes on where it ended the last time, as no op gets its slot back.
func (r *Ring) OldestSlot() (e *Entry, ok bool) {
	s := &r.scannedStragglers
	for *s = max(*s, r.stragglers.base); *s < r.stragglers.next; *s++ {
		if e := &r.stragglers.Slot(*s).Entry; e.HoldsSlot() {
			return e, true
		}
	}
	for r.scanned = max(r.scanned, r.recent.base); r.scanned < r.recent.next; r.scanned++ {
		if e := r.recent.Slot(r.scanned); e.HoldsSlot() {
			return e, true
		}
	}
	return nil, false
}

// Has reports whether an op before next is not settled, or was not sent yet.
func (r *Ring) Has(next uint64) bool { return r.recent.base != next || r.stragglers.Len() > 0 }

// Word returns the word of an op that the ring has; only with Words.
func (r *Ring) Word(seq uint64) *uint64 { return r.Words.of(r, seq) }
