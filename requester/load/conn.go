package load

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
)

// conn is one connection: the ops that are due on it, those in flight, and what
// became of the others.
//
// Whoever wants to send sets sending under the lock and then calls Request
// without it: a reply never waits for a sender that the system under test holds
// up. Ops that become due meanwhile are only counted; the one who is sending
// sends them before it clears sending.
type conn struct {
	run       *run
	index     int    // in this process, counted from 0
	id        uint32 // in the stamp: unique over all machines
	limit     int    // ops in flight
	requester requester.Requester
	arrivals  schedule.Cursor // walked by the sender's merge alone

	recording atomic.Int32 // replies that are between settle and Record

	mu       sync.Mutex
	dues     uint64          // ops that were due so far; ring.next of them were sent
	sends    schedule.Cursor // one step for each op that was sent
	ring     ring
	inFlight int
	scanned  uint64 // ops below were settled or expired when expire checked last
	sending  bool
	closed   bool
	payload  []byte // for queued ops; made when first needed
	window   Ledger
	warmup   Ledger
	strays   Strays
	// When the window's first and last ops were done; 0 if none was.
	firstDone, lastDone time.Duration
}

// arrive sends the op that is due now, for which payload is filled, or leaves it
// in the queue if no slot is free. Only the sender calls it.
func (c *conn) arrive(payload []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dues++
	free := c.ring.next == c.dues-1 && c.inFlight < c.limit
	if c.sending || c.closed || !free {
		return
	}
	c.sending = true
	c.send(payload, false)
	c.drain()
}

// send sends the next op. The caller holds the lock, which send gives up during
// Request, and has set sending.
func (c *conn) send(payload []byte, queued bool) {
	due, _ := c.sends.Next()
	c.inFlight++
	seq := c.ring.push(entry{due: due, sent: c.run.now(), state: pending, queued: queued})
	c.mu.Unlock()
	err := c.requester.Request(c.run.ctx, payload)
	c.mu.Lock()
	if err != nil {
		c.fail(seq, err)
	}
}

// drain sends queued ops while slots are free, and then clears sending. The caller
// holds the lock and has set sending.
func (c *conn) drain() {
	for c.ring.next < c.dues && c.inFlight < c.limit && !c.closed {
		seq := c.ring.next
		c.mu.Unlock()
		if c.payload == nil {
			c.payload = make([]byte, c.run.cfg.Size)
		}
		c.run.body.fill(c.payload, c.stamp(seq))
		c.mu.Lock()
		if !c.closed {
			c.send(c.payload, true)
		}
	}
	c.sending = false
}

// resume sends queued ops if nobody else is sending. The caller holds the
// lock.
func (c *conn) resume() {
	if c.sending || c.ring.next == c.dues || c.inFlight >= c.limit {
		return
	}
	c.sending = true
	c.drain()
}

// stamp returns the stamp of an op of this connection.
func (c *conn) stamp(seq uint64) requester.Stamp {
	return requester.Stamp{Run: c.run.id, Conn: c.id, Seq: seq}
}

// fail counts an op whose send returned an error, unless its reply came all the
// same. The caller holds the lock.
func (c *conn) fail(seq uint64, cause error) {
	e := c.ring.at(seq)
	if c.closed || e == nil || !e.awaited() {
		return
	}
	c.run.failures.add(cause)
	c.ledger(e.due).Failed++
	c.settle(e)
}

// settle ends an op that is awaited and frees its slot. The caller holds the
// lock.
func (c *conn) settle(e *entry) {
	if e.holdsSlot() {
		c.inFlight--
	}
	c.ring.settle(e)
}

// ledger returns the ledger that an op due then belongs to.
func (c *conn) ledger(due time.Duration) *Ledger {
	if due < c.run.cfg.Warmup {
		return &c.warmup
	}
	return &c.window
}

// expire frees the slots of ops that were sent no later than before and have no
// reply, and sends ops that waited for a slot. A reply that comes later makes its
// op done all the same, at the time at which it came. expire returns when the
// oldest op that holds one of a full connection's slots was sent.
func (c *conn) expire(before time.Duration) (oldest time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.inFlight < c.limit {
		return math.MaxInt64 - c.run.cfg.Timeout
	}
	c.scanned = max(c.scanned, c.ring.base)
	for ; c.scanned < c.ring.next; c.scanned++ {
		e := c.ring.slot(c.scanned)
		if e.holdsSlot() && e.sent > before {
			break
		}
		if e.holdsSlot() {
			e.state = expired
			c.inFlight--
		}
	}
	c.resume()
	return c.oldest()
}

// oldest returns when the oldest op that holds a slot was sent, if it is known
// and the slot is waited for. The caller holds the lock.
func (c *conn) oldest() time.Duration {
	if c.inFlight < c.limit || c.scanned >= c.ring.next {
		return math.MaxInt64 - c.run.cfg.Timeout
	}
	return c.ring.slot(c.scanned).sent
}

// idle tells whether every op that was due is settled.
func (c *conn) idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ring.base == c.dues
}
