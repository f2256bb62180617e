package load

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load/internal/order"
	"github.com/brokerbench/brokerbench/requester/load/internal/ring"
	"github.com/brokerbench/brokerbench/requester/load/internal/wait"
)

// keptAtMost bounds the ops of a run that are kept although they have waited for a reply for
// twice the timeout: 6 to 8 MiB. Beyond it the oldest of a connection is given up: it is lost, and its
// reply, if it comes later, is late. A duplicate of such an old op cannot be told from that.
const keptAtMost = 1 << 18

// conn is one connection: the ops that are due on it, those in flight, and what
// became of the others.
//
// A goroutine that wants to send sets sending under the lock and then calls Request
// without it: a reply never waits for a sender that the system under test holds
// up. Ops that become due meanwhile are only counted; the one who is sending
// sends them before it clears sending.
type conn struct {
	run        *run
	index      int    // in this process, counted from 0
	id         uint32 // in the stamp: unique over all machines
	limit      int    // ops in flight
	keepsSlots bool   // the requester cannot carry more: an op without a reply keeps its slot
	publishes  bool   // when Request returns, the message is on the socket
	requester  requester.Requester
	traits     requester.Traits
	arrivals   schedule.Cursor // walked by the sender's merge alone
	closing

	recording atomic.Int32 // calls of the recorder under way, or about to be

	alone wait.Punctual // a sender for this connection alone; the sender's

	sendLater func() // run.sendQueued of this connection, only with groups: a call of it in a new goroutine allocates nothing

	mu       sync.Mutex
	dues     uint64          // ops that were due so far; ring.next() of them were sent
	lastDue  time.Duration   // when the last of them was due
	sends    schedule.Cursor // one step for each op that was sent
	ring     ring.Ring
	inFlight int
	sending  bool
	closed   bool
	window   Account
	sections []Account // of the window; nil without
	warmup   Ledger
	sizes    []Ledger // of the window, by size; empty if all messages have one
	waits    waits    // of the window
	strays   Strays
	highest  uint64       // one above the highest sequence that came back
	givenUp  int64        // ops without a reply that are no longer kept; those whose reply came later not counted
	gone     uint64       // one above the last of them
	cold     uint64       // the same, of the warm-up
	keyed    *order.Order // in place of highest, if messages have keys; else nil
	from     uint8        // the partition of the next reply, from 1; 0: not known
	copies   *copies      // what each group has; nil without groups
	// When the latest acknowledgement came.
	lastAcked time.Duration
}

// arrive sends the op that is due now, for which payload is filled, or leaves it
// in the queue if no slot is free. held is for how long calls of Request have kept the
// sender from it. It returns when the sender was in Request, or zeros. Only the sender
// calls it.
func (c *conn) arrive(due, held time.Duration, payload []byte) (sent, returned time.Duration) {
	c.mu.Lock()
	c.dues++
	c.lastDue = due
	free := c.ring.Next() == c.dues-1 && c.inFlight < c.limit
	if c.sending || c.closed || !free {
		c.mu.Unlock()
		return 0, 0
	}
	c.sending = true
	c.wait(due, held)
	sent, returned = c.send(payload, held, 0)
	c.sending = false
	more := c.claim()
	c.mu.Unlock()
	if more {
		c.run.sendQueued(c)
		returned = c.run.now()
	}
	return sent, returned
}

// wait counts for how long an op was held up, and how much of that a sender for this
// connection alone would not have been. The caller holds the lock.
func (c *conn) wait(due, held time.Duration) {
	if held > 0 && due >= c.run.cfg.Warmup {
		c.waits.add(waits{held: float64(held), byOthers: float64(held - c.alone.Held(due))})
	}
}

// claim reports whether the caller has to send queued ops, with run.sendQueued,
// because a slot is free and no other goroutine is sending. The caller holds the lock, and
// gives it up before it sends.
func (c *conn) claim() bool {
	if c.sending || !c.sendable() {
		return false
	}
	c.sending = true
	return true
}

// sendable reports whether an op is queued and a slot is free for it. The caller
// holds the lock.
func (c *conn) sendable() bool {
	return c.ring.Next() < c.dues && c.inFlight < c.limit && !c.closed
}

// send sends the next op, and returns when it was in Request. The caller holds the
// lock, which send gives up meanwhile, and has set sending.
func (c *conn) send(payload []byte, held time.Duration, marks ring.Marks) (sent, returned time.Duration) {
	due, _ := c.sends.Next()
	c.inFlight++
	sent = c.run.now()
	seq := c.ring.Push(ring.Entry{Due: due, Sent: sent, Held: ring.Shorten(held), State: ring.Pending, Marks: marks})
	c.giveUp(sent)
	c.mu.Unlock()
	err := c.requester.Request(c.run.ctx, payload)
	returned = c.run.now()
	if c.publishes && err == nil {
		c.publish(due, returned)
	}
	c.mu.Lock()
	if err != nil {
		c.fail(seq, err)
	}
	return sent, returned
}

// drain sends queued ops while slots are free, and then clears sending. The caller
// has claimed the connection, and does not hold the lock.
func (c *conn) drain(buffer []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.sendable() {
		seq := c.ring.Next()
		c.mu.Unlock()
		payload := c.run.body.Fill(buffer, c.stamp(seq))
		c.mu.Lock()
		if !c.closed {
			c.send(payload, 0, ring.Queued)
		}
	}
	c.sending = false
}

// sendQueued sends the queued ops of a connection that the caller has claimed. If
// all buffers are taken it returns at once: the goroutine that returns one serves c.
func (r *run) sendQueued(c *conn) {
	buffer := r.buffers.take(c)
	if buffer == nil {
		return
	}
	c.drain(buffer)
	// A reply must not be held up by another connection's Request.
	if next := r.buffers.next(buffer); next != nil {
		go r.sendWaiting(next, buffer)
	}
}

// sendWaiting sends the queued ops of connections that wait for a buffer, until none
// does.
func (r *run) sendWaiting(c *conn, buffer []byte) {
	for c != nil {
		c.drain(buffer)
		c = r.buffers.next(buffer)
	}
}

// stamp returns the stamp of an op of this connection.
func (c *conn) stamp(seq uint64) requester.Stamp {
	return requester.Stamp{Run: c.run.id, Conn: c.id, Seq: seq}
}

// fail counts an op whose send returned an error, unless its reply came all the
// same. The caller holds the lock.
func (c *conn) fail(seq uint64, cause error) {
	e := c.ring.At(seq)
	switch {
	case c.closed || e == nil || e.Is(ring.Acked):
		return // what is acknowledged is awaited
	case e.State == ring.Replied:
		c.settle(seq, e)
		return
	case !e.Awaited():
		return
	}
	c.run.failures.Add(cause)
	c.ledger(e.Due).Failed++
	if l := c.sized(seq, e.Due); l != nil {
		l.Failed++
	}
	if c.run.troubles != nil {
		c.run.troubles.RecordFailure(c.index, seq)
	}
	c.copies.missed(seq, e, func(l *Ledger) *int64 { return &l.Failed })
	c.settle(seq, e)
}

// settle ends an op that is awaited and frees its slot. The caller holds the
// lock.
func (c *conn) settle(seq uint64, e *ring.Entry) {
	c.expire(e)
	c.ring.Settle(seq, e)
}

// expire frees the slot of an op that is awaited. The caller holds the lock.
func (c *conn) expire(e *ring.Entry) {
	if e.HoldsSlot() {
		e.State = ring.Expired
		c.inFlight--
	}
}

// giveUp gives up the oldest ops where too many are kept: two at most, so that they become fewer and
// no op pays for what many left behind. The caller holds the lock.
func (c *conn) giveUp(now time.Duration) {
	for range 2 {
		if c.ring.Len() <= c.run.kept {
			return
		}
		seq, e := c.ring.Oldest()
		if e.Sent > now-2*c.run.cfg.Timeout {
			return
		}
		c.expire(e)
		c.lose(seq, e)
		if e.Awaited() {
			c.givenUp, c.gone = c.givenUp+c.copies.outstanding(seq), seq+1
			if e.Due < c.run.cfg.Warmup {
				c.cold = c.gone
			}
		}
		c.ring.Settle(seq, e)
	}
}

// late reports whether a reply is the first to an op that was given up.
func (c *conn) late(seq uint64) bool {
	if c.givenUp == 0 || seq >= c.gone {
		return false
	}
	c.givenUp--
	return true
}

// lose counts an op that is given up: it is lost if it has no reply. The caller holds the
// lock.
func (c *conn) lose(seq uint64, e *ring.Entry) {
	if !e.Awaited() {
		return // its acknowledgement is missing, not its reply
	}
	c.copies.missed(seq, e, func(l *Ledger) *int64 { return &l.Lost })
	c.ledger(e.Due).Lost++
	if e.Is(ring.Acked) && e.Due >= c.run.cfg.Warmup {
		c.account(e.Due).AckLedger.Missing++
	}
}

// ledger returns the ledger that an op due then belongs to.
func (c *conn) ledger(due time.Duration) *Ledger {
	if due < c.run.cfg.Warmup {
		return &c.warmup
	}
	return &c.account(due).Ledger
}

// class returns the size class of an op; 0 if all have one size.
func (c *conn) class(seq uint64) uint8 {
	if len(c.sizes) == 0 {
		return 0
	}
	return uint8(c.run.body.Mix().Class(c.id, seq))
}

// sized returns the ledger of the size of an op of the window; nil if all have one size.
func (c *conn) sized(seq uint64, due time.Duration) *Ledger {
	if len(c.sizes) == 0 || due < c.run.cfg.Warmup {
		return nil
	}
	return &c.sizes[c.class(seq)]
}

// never is when a connection whose slots are free, or are kept, has one expire.
const never = time.Duration(math.MaxInt64)

// expireBefore frees the slots of ops that were sent no later than before and
// have no reply, if all slots are taken. A later reply still makes its op done, at the time
// at which it came. It returns when the oldest op that
// holds one of a full connection's slots was sent, and whether the caller has to
// send queued ops.
func (c *conn) expireBefore(before time.Duration) (oldest time.Duration, claimed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.keepsSlots {
		return never, false
	}
	if c.inFlight >= c.limit {
		for e, ok := c.ring.OldestSlot(); ok && e.Sent <= before; e, ok = c.ring.OldestSlot() {
			c.expire(e)
		}
	}
	claimed = c.claim()
	if e, ok := c.ring.OldestSlot(); ok && c.inFlight >= c.limit {
		return e.Sent, claimed
	}
	return never, claimed
}

// idle reports whether every op that was due is settled, and, if publishing is recorded,
// whether its Request has returned.
func (c *conn) idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.publishes && c.sending {
		return false
	}
	return !c.ring.Has(c.dues)
}
