package load

import "time"

// state is where an op in the ring stands.
type state uint8

const (
	unused  state = iota
	pending       // sent, no reply yet, holds a slot
	expired       // the same, but it no longer holds its slot
	settled       // done or failed
)

// entry is an op that was sent.
type entry struct {
	due, sent time.Duration
	state     state
	queued    bool
}

// holdsSlot tells whether the op counts against the in-flight limit.
func (e *entry) holdsSlot() bool { return e.state == pending }

// awaited tells whether a reply would make the op done.
func (e *entry) awaited() bool { return e.state == pending || e.state == expired }

// ring holds the ops of one connection from the oldest that is not settled to
// the newest that was sent. It grows by doubling: its size follows the longest
// stall, not the length of the run. The zero value is empty.
type ring struct {
	entries []entry // a power of two
	base    uint64  // the oldest sequence that is held
	next    uint64  // the sequence of the next op to be sent
}

// push adds the next op and returns its sequence.
func (r *ring) push(e entry) uint64 {
	if r.next-r.base == uint64(len(r.entries)) {
		r.grow()
	}
	seq := r.next
	*r.slot(seq) = e
	r.next++
	return seq
}

// at returns the entry of seq, or nil if that was settled long ago or never
// sent.
func (r *ring) at(seq uint64) *entry {
	if seq < r.base || seq >= r.next {
		return nil
	}
	return r.slot(seq)
}

// slot returns where seq is kept.
func (r *ring) slot(seq uint64) *entry { return &r.entries[seq&uint64(len(r.entries)-1)] }

// settle marks the entry and forgets the oldest ones that are settled.
func (r *ring) settle(e *entry) {
	e.state = settled
	for r.base < r.next && r.slot(r.base).state == settled {
		r.base++
	}
}

// grow doubles the ring. It allocates: once for each doubling of the longest
// stall so far.
func (r *ring) grow() {
	old := *r
	r.entries = make([]entry, max(16, 2*len(old.entries)))
	for seq := old.base; seq < old.next; seq++ {
		*r.slot(seq) = *old.slot(seq)
	}
}
