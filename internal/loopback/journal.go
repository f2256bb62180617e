package loopback

import (
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

// A Journal notes when each message of a run came to a place, and when it left:
// for a system, when the message came and when its reply left. It has room for the
// messages of one schedule from the start, allocates nothing after that, and takes
// no lock. Of several messages with one stamp it keeps the first. Came and Left may
// be called concurrently, and on nil, where they do nothing.
type Journal struct {
	epoch       time.Time
	connections uint64
	visits      []visit
	again       atomic.Int64
	unknown     atomic.Int64
}

// visit is one message's stay, in nanoseconds since the epoch; 0: never.
type visit struct{ came, left atomic.Int64 }

// NewJournal returns a journal with room for that many messages over that many
// connections, at least one.
func NewJournal(connections, messages int) *Journal {
	return &Journal{epoch: time.Now(), connections: uint64(max(connections, 1)), visits: make([]visit, messages)}
}

// Epoch returns the moment from which Notes counts.
func (j *Journal) Epoch() time.Time { return j.epoch }

// Came notes that the message came at a moment.
func (j *Journal) Came(payload []byte, at time.Time) {
	if v := j.visit(payload); v != nil {
		j.note(&v.came, at)
	}
}

// Left notes that the message, or its reply, left at a moment.
func (j *Journal) Left(payload []byte, at time.Time) {
	if v := j.visit(payload); v != nil {
		j.note(&v.left, at)
	}
}

// visit returns where the times of a message are noted: nil if it has no place in
// the schedule, as a probe has none.
func (j *Journal) visit(payload []byte) *visit {
	if j == nil {
		return nil
	}
	stamp, ok := requester.ReadStamp(payload)
	if stamp.Seq == requester.ProbeSeq {
		return nil
	}
	n, all := stamp.Seq*j.connections+uint64(stamp.Conn), uint64(len(j.visits))
	if !ok || uint64(stamp.Conn) >= j.connections || stamp.Seq >= all || n >= all {
		j.unknown.Add(1)
		return nil
	}
	return &j.visits[n]
}

func (j *Journal) note(slot *atomic.Int64, at time.Time) {
	if !slot.CompareAndSwap(0, max(int64(at.Sub(j.epoch)), 1)) {
		j.again.Add(1)
	}
}

// Notes are what a journal holds. Message n of the schedule, counted over all
// connections in turn, has its times at index n; 0: it never came, or never left.
type Notes struct {
	Came, Left []time.Duration // since the journal's epoch
	Again      int64           // messages that came or left once more
	Unknown    int64           // messages without a place in the schedule
}

// Notes returns what was noted until now.
func (j *Journal) Notes() Notes {
	n := Notes{
		Came: make([]time.Duration, len(j.visits)), Left: make([]time.Duration, len(j.visits)),
		Again: j.again.Load(), Unknown: j.unknown.Load(),
	}
	for i := range j.visits {
		n.Came[i], n.Left[i] = time.Duration(j.visits[i].came.Load()), time.Duration(j.visits[i].left.Load())
	}
	return n
}

// Since returns the same notes, counted from another moment: that many after the
// epoch. Events that never happened stay 0.
func (n Notes) Since(offset time.Duration) Notes {
	n.Came, n.Left = since(n.Came, offset), since(n.Left, offset)
	return n
}

func since(times []time.Duration, offset time.Duration) []time.Duration {
	list := make([]time.Duration, len(times))
	for i, t := range times {
		if t != 0 {
			list[i] = max(t-offset, 1) // only the schedule's first message may come so early
		}
	}
	return list
}
