package load

import (
	"sort"
	"time"
)

// state is where an op that was sent stands.
type state uint8

const (
	unused  state = iota
	pending       // no reply yet, holds a slot
	expired       // the same, but it no longer holds its slot
	replied       // done, and no acknowledgement yet
	settled       // done and acknowledged, if the system acknowledges; or failed
)

// entry is an op that was sent.
type entry struct {
	due, sent time.Duration // of one that is replied, sent is when it came back
	held      short
	state     state
	marks     marks
}

// marks are what else is known of an op.
type marks uint8

const (
	queued     marks = 1 << iota // it had to wait for a slot
	acked                        // the system took responsibility for it
	disorderly                   // a member of a group had a later op of the same producer before it
)

func (e *entry) is(mark marks) bool { return e.marks&mark != 0 }

// holdsSlot tells whether the op counts against the in-flight limit.
func (e *entry) holdsSlot() bool { return e.state == pending }

// awaited tells whether a reply would make the op done.
func (e *entry) awaited() bool { return e.state == pending || e.state == expired }

// straggler is an op without a reply that newer ones have overtaken.
type straggler struct {
	seq uint64
	entry
}

// A ring holds the ops of one connection that were sent and are not settled. The
// recent ones are a range of sequences, which a reply finds at once. An op that
// is not answered while most of those after it were would make that range as long
// as the run: it is put among the stragglers, which are found by bisection. So
// the size follows the number of ops in flight and missing. The zero value is
// empty.
type ring struct {
	recent     deque[entry]     // by sequence; the first is not settled
	awaited    uint64           // of the recent ones
	stragglers deque[straggler] // by order; the first is not settled

	scanned, scannedStragglers uint64 // positions below hold no slot: see expire

	words *words // of the same ops; nil without groups
}

// recentAtLeast is how long the range of recent ops may always be.
const recentAtLeast = 2 * chunkSize

// next returns the sequence of the next op to be sent.
func (r *ring) next() uint64 { return r.recent.next }

// push adds the next op and returns its sequence.
func (r *ring) push(e entry) uint64 {
	// At most one a push: no op pays for what many left behind.
	if n := r.recent.len(); n >= recentAtLeast && 2*r.awaited < n {
		r.overtake()
	}
	r.awaited++
	return r.recent.push(e)
}

// overtake puts the oldest recent op among the stragglers.
func (r *ring) overtake() {
	oldest := *r.recent.slot(r.recent.base)
	r.words.overtake(r)
	r.stragglers.push(straggler{r.recent.base, oldest})
	r.recent.pop()
	if oldest.state != replied {
		r.awaited--
	}
	r.trim()
}

// trim forgets the oldest ops that are settled.
func (r *ring) trim() {
	for r.recent.len() > 0 && r.recent.slot(r.recent.base).state == settled {
		r.recent.pop()
	}
	for r.stragglers.len() > 0 && r.stragglers.slot(r.stragglers.base).state == settled {
		r.stragglers.pop()
	}
}

// at returns the entry of seq, or nil if that was settled long ago or never sent.
func (r *ring) at(seq uint64) *entry {
	switch {
	case seq >= r.recent.next:
		return nil
	case seq >= r.recent.base:
		return r.recent.slot(seq)
	}
	if i, ok := r.straggler(seq); ok {
		return &r.stragglers.slot(i).entry
	}
	return nil
}

// straggler returns the position of seq among the stragglers; ok is false if it is none of them.
func (r *ring) straggler(seq uint64) (i uint64, ok bool) {
	s := &r.stragglers
	i = s.base + uint64(sort.Search(int(s.len()), func(i int) bool { return s.slot(s.base+uint64(i)).seq >= seq }))
	return i, i < s.next && s.slot(i).seq == seq
}

// reply notes that the op of seq, whose entry is e, came back and is not acknowledged. It
// is awaited no more, so that newer ones may overtake it. Its entry then has when it came
// back in place of when it was sent.
func (r *ring) reply(seq uint64, e *entry, done time.Duration) {
	e.state, e.sent = replied, done
	if seq >= r.recent.base {
		r.awaited--
	}
}

// settle ends the op of seq, whose entry is e.
func (r *ring) settle(seq uint64, e *entry) {
	if seq >= r.recent.base && e.state != replied {
		r.awaited--
	}
	e.state = settled
	r.trim()
}

// len returns how many ops are kept.
func (r *ring) len() uint64 { return r.recent.len() + r.stragglers.len() }

// oldest returns the oldest op, which is not settled, of a ring that is not empty.
func (r *ring) oldest() (seq uint64, e *entry) {
	if r.stragglers.len() > 0 {
		s := r.stragglers.slot(r.stragglers.base)
		return s.seq, &s.entry
	}
	return r.recent.base, r.recent.slot(r.recent.base)
}

// unsettled calls f for each op that is not settled.
func (r *ring) unsettled(f func(seq uint64, e *entry)) {
	for at := r.stragglers.base; at < r.stragglers.next; at++ {
		if s := r.stragglers.slot(at); s.state != settled {
			f(s.seq, &s.entry)
		}
	}
	for at := r.recent.base; at < r.recent.next; at++ {
		if e := r.recent.slot(at); e.state != settled {
			f(at, e)
		}
	}
}

// oldestSlot returns the oldest op that holds a slot; ok is false if none does. It
// goes on where it ended the last time, as no op gets its slot back.
func (r *ring) oldestSlot() (e *entry, ok bool) {
	s := &r.scannedStragglers
	for *s = max(*s, r.stragglers.base); *s < r.stragglers.next; *s++ {
		if e := &r.stragglers.slot(*s).entry; e.holdsSlot() {
			return e, true
		}
	}
	for r.scanned = max(r.scanned, r.recent.base); r.scanned < r.recent.next; r.scanned++ {
		if e := r.recent.slot(r.scanned); e.holdsSlot() {
			return e, true
		}
	}
	return nil, false
}
