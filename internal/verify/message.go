package verify

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// A message is what everybody says about one message. All times are offsets from
// the start of the schedule; 0: it did not happen; due is always set.
type message struct {
	conn, seq int
	due       time.Duration // by the plan

	asked, answered  time.Duration // the station: Request was called, and returned
	came, left       time.Duration // the system: the message came, its reply left
	handed, returned time.Duration // the station: the reply was given to the engine, which returned
	failed           time.Duration // the station: the requester said that it failed

	op       *load.Op      // what the engine recorded; nil: it is not done
	before   *message      // the one before on its connection; nil for the first
	earliest time.Duration // the engine cannot have sent it sooner
	cleared  time.Duration // it and all before it on its connection had their replies; never: not all had
	held     time.Duration // a sender that loses no time of its own was held up at least so long by the calls before
}

func (m *message) String() string {
	return fmt.Sprintf("message %d of connection %d, due at %v", m.seq, m.conn, m.due)
}

// Response and service lie between these, as Done is read while the reply is
// handed over.
func (m *message) response() span {
	return span{m.handed - m.due, max(m.returned, m.handed) - m.due}
}

func (m *message) service() span {
	return span{m.handed - m.asked, max(m.returned, m.handed) - m.earliest}
}

// Held and lag lie between these, of a message that had a free slot: together they
// are what it waited before it was sent.
func (m *message) heldUp() span { return span{m.held, max(m.asked-m.due, m.held)} }

func (m *message) lag() span { return span{0, max(m.asked-m.due-m.held, 0)} }

// call returns how long the sender was in Request for a message, at least.
func (m *message) call(inFlight int) time.Duration {
	queued := inFlight != 0 // of a message that is not done nobody knows
	if m.op != nil {
		queued = m.op.Queued
	}
	if queued || m.answered == 0 {
		return 0
	}
	return m.answered - m.asked
}

// A span is where a time lies, by the witnesses.
type span struct{ from, to time.Duration }

// A run is what is known of one measurement.
type run struct {
	cell     plan.Cell // in flight by the requester's limit, if that is less
	patient  bool      // a message without a reply is waited for to the end: the requester can carry no more
	result   *results.Cell
	reported series // the histograms, read from the interval log
	messages []message
	elapsed  time.Duration // when the engine ended it
	strange  int64         // records of the engine that belong to no message, or to one twice
	again    int64         // messages that were sent once more, or belong to no schedule
	system   *loopback.Config
	began    time.Duration // when the first message came to the system
}

// dues returns when each message of a constant schedule is due, by its own
// formula: message n at n·1s/rate.
func dues(cell plan.Cell) (list []time.Duration) {
	end := cell.Settings.Warmup + cell.Settings.Duration
	for n := int64(0); ; n++ {
		due := time.Duration(n * int64(time.Second) / int64(cell.Shape.Rate))
		if due >= end {
			return list
		}
		list = append(list, due)
	}
}

// MostMessages is how many messages a scenario may have: everything that is known of
// them is kept, some 400 B each.
const MostMessages = 2_000_000

// ops keeps what the engine records, one for each message.
type ops struct {
	connections int
	list        []load.Op
	seen        []atomic.Bool
	strange     atomic.Int64
}

// Record implements load.Recorder.
func (o *ops) Record(op load.Op) {
	if n := int(op.Seq)*o.connections + op.Conn; n >= 0 && n < len(o.list) && o.seen[n].CompareAndSwap(false, true) {
		o.list[n] = op
		return
	}
	o.strange.Add(1)
}

// never is later than any time of a run.
const never = time.Duration(math.MaxInt64)

// join puts together what the station, the system and the engine noted; the
// system's notes may be empty.
func (r *run) join(asked, handed, failed, system loopback.Notes, o *ops) {
	connections := r.cell.Shape.Connections
	r.strange, r.again = o.strange.Load(), asked.Again+asked.Unknown+system.Again+system.Unknown
	r.messages = make([]message, len(asked.Came))
	var free time.Duration // when a sender is that loses no time of its own
	for n, due := range dues(r.cell) {
		m := &r.messages[n]
		*m = message{
			conn: n % connections, seq: n / connections, due: due,
			asked: asked.Came[n], answered: asked.Left[n], handed: handed.Came[n], returned: handed.Left[n],
			failed: failed.Came[n],
		}
		if system.Came != nil {
			m.came, m.left = system.Came[n], system.Left[n]
		}
		if o.seen[n].Load() {
			m.op = &o.list[n]
		}
		if n >= connections {
			m.before = &r.messages[n-connections]
			m.cleared = m.before.cleared
		}
		if m.cleared = max(m.cleared, m.returned); m.returned == 0 {
			m.cleared = never
		}
		m.earliest = r.earliest(m)
		m.held = max(free-m.due, 0)
		free = max(free, m.due) + m.call(r.cell.Shape.InFlight)
	}
}

// earliest returns when the engine can have sent a message at the earliest: when
// it was due, when its connection was free, and with one in flight when the one
// before was answered, had failed or had timed out.
func (r *run) earliest(m *message) time.Duration {
	b := m.before
	if b == nil {
		return m.due
	}
	at := max(m.due, b.answered)
	if r.cell.Shape.InFlight != 1 {
		return at
	}
	free := b.earliest + r.cell.Settings.Timeout
	for _, ended := range []time.Duration{b.handed, b.failed} {
		if ended > 0 {
			free = min(free, ended)
		}
	}
	return max(at, free)
}

// window returns the messages of the measured window.
func (r *run) window() []message {
	for n := range r.messages {
		if r.messages[n].due >= r.cell.Settings.Warmup {
			return r.messages[n:]
		}
	}
	return nil
}
