package load

import (
	"errors"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load/internal/ring"
)

// reply is Reply of this connection's requester.Sink. It reads the clock first: that is
// Done.
func (c *conn) reply(payload []byte) {
	done := c.run.now()
	stamp, ok := requester.ReadStamp(payload)
	switch {
	case !ok:
		c.stray(&c.strays.Corrupt)
	case stamp.Run != c.run.id || stamp.Conn != c.id:
		c.stray(&c.strays.Foreign)
	case stamp.Seq == requester.ProbeSeq:
		if c.run.body.Matches(payload, stamp) {
			c.run.probed(nil)
		} else {
			c.run.probed(errors.New("the reply is not what was sent"))
		}
	default:
		intact, echoed := c.run.body.Matches(payload, stamp), int64(0)
		if c.run.cfg.Echo != nil {
			echoed = requester.ReadEcho(payload)
			intact = intact && echoed != 0
		}
		if intact && c.run.hooks.Delivered != nil {
			c.run.hooks.Delivered(c.index, stamp.Seq)
		}
		c.complete(stamp.Seq, done, echoed, intact)
	}
}

// complete settles the op, records it, and sends what waited for its slot. It
// records first, since Request may block for as long as the system under test
// likes, and an op that is in the ledger must be in the histogram.
func (c *conn) complete(seq uint64, done time.Duration, echoed int64, intact bool) {
	c.mu.Lock()
	op, ok := c.take(seq, done, intact)
	if ok {
		op.Echoed = c.run.sinceEcho(echoed)
		c.recording.Add(1)
	}
	claimed := c.claim()
	c.mu.Unlock()
	if ok {
		c.run.recorder.Record(op)
		c.recording.Add(-1)
	}
	if claimed {
		c.run.sendQueued(c)
	}
}

// take makes the op done, or counts a stray. A corrupt reply frees the slot, since
// the system has answered, but the op is not done. The caller holds the lock.
func (c *conn) take(seq uint64, done time.Duration, intact bool) (op Op, ok bool) {
	e := c.ring.At(seq)
	switch {
	case c.closed:
		return Op{}, false
	case seq >= c.ring.Next():
		c.strays.Corrupt++
		return Op{}, false
	case e == nil && c.late(seq):
		if seq >= c.cold {
			c.strays.Late++
		}
		return Op{}, false
	case e == nil || !e.Awaited():
		c.duplicate(done)
		return Op{}, false
	case !intact:
		c.strays.Corrupt++
		c.expire(e)
		return Op{}, false
	}
	op = Op{
		Conn: c.index, Seq: seq, Due: e.Due, Sent: e.Sent, Done: done, Held: e.Held.Duration(),
		Warmup: e.Due < c.run.cfg.Warmup, Queued: e.Is(ring.Queued), Acked: e.Is(ring.Acked),
		Disordered: seq < *c.order(seq), Class: c.class(seq), Partition: c.from,
	}
	if op.Warmup {
		c.warmup.Done++
	} else {
		account := c.account(e.Due)
		account.Done++
		account.setDone(done)
		if len(c.sizes) > 0 {
			c.sizes[op.Class].Done++
		}
		if c.traits.Acknowledges {
			account.AckLedger.deliver(op)
		}
	}
	highest := c.order(seq)
	*highest = max(*highest, seq+1)
	switch {
	case c.traits.Acknowledges && !e.Is(ring.Acked):
		c.expire(e)
		c.ring.Reply(seq, e, done)
		return op, true
	case c.traits.Acknowledges: // the acknowledgement's own time is not kept: this is no earlier
		op.Complete = max(done, c.lastAcked)
	}
	c.settle(seq, e)
	return op, true
}

// duplicate counts a reply whose op was settled already. The caller holds the lock.
func (c *conn) duplicate(done time.Duration) {
	c.strays.Duplicate++
	if c.run.troubles != nil {
		c.run.troubles.RecordDuplicate(c.index, done)
	}
}

// stray counts a reply that belongs to no op of this connection.
func (c *conn) stray(counter *int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		*counter++
	}
}

// failure is Failed of this connection's requester.Sink.
func (c *conn) failure(payload []byte, cause error) {
	stamp, ok := requester.ReadStamp(payload)
	if !ok || stamp.Run != c.run.id || stamp.Conn != c.id {
		return
	}
	if stamp.Seq == requester.ProbeSeq {
		c.run.probed(cause)
		return
	}
	c.mu.Lock()
	c.fail(stamp.Seq, cause)
	claimed := c.claim()
	c.mu.Unlock()
	if claimed {
		c.run.sendQueued(c)
	}
}
