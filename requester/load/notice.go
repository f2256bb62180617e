package load

import (
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load/internal/ring"
)

// ack is Acked of this connection's requester.Sink. It reads the clock first.
func (c *conn) ack(payload []byte) {
	at := c.run.now()
	stamp, ok := requester.ReadStamp(payload)
	if !ok || stamp.Run != c.run.id || stamp.Conn != c.id || !c.traits.Acknowledges {
		return
	}
	c.mu.Lock()
	a, ok := c.acknowledge(stamp.Seq, at)
	if ok {
		c.recording.Add(1)
	}
	c.mu.Unlock()
	if !ok {
		return
	}
	if c.run.acks != nil {
		c.run.acks.RecordAck(a)
	}
	c.recording.Add(-1)
}

// acknowledge makes an op acknowledged; ok is false if it is so already, or has failed. The
// caller holds the lock.
func (c *conn) acknowledge(seq uint64, at time.Duration) (a Ack, ok bool) {
	e := c.ring.At(seq)
	if c.closed || e == nil || e.Is(ring.Acked) || e.State == ring.Settled {
		return Ack{}, false
	}
	e.Marks |= ring.Acked
	c.lastAcked = max(c.lastAcked, at)
	a = Ack{Conn: c.index, Seq: seq, Due: e.Due, Acked: at, Warmup: e.Due < c.run.cfg.Warmup, Done: e.State == ring.Replied, Class: c.class(seq)}
	if !a.Warmup {
		c.account(a.Due).AckLedger.acknowledge(a)
	}
	if a.Done {
		a.Complete = max(at, e.Sent)
		c.settle(seq, e)
	}
	return a, true
}

// publish records that an op was on the socket when its Request returned. One that returns
// after the end of the run is not recorded: until then it was not.
func (c *conn) publish(due, returned time.Duration) {
	// finish stops the senders and then waits for recording to be 0: either it sees this
	// one, or this one sees that it is too late.
	c.recording.Add(1)
	if c.run.until.Load() != stopped {
		c.run.publishes.RecordPublish(Publish{Conn: c.index, Due: due, Published: returned, Warmup: due < c.run.cfg.Warmup})
	}
	c.recording.Add(-1)
}

// askPublishes finds out whether all connections tell when a message is on the socket, and
// the recorder wants to know. Of some connections alone it would be no distribution.
func (r *run) askPublishes() {
	recorder, ok := r.recorder.(PublishRecorder)
	if !ok {
		return
	}
	for _, c := range r.conns {
		if !c.traits.WritesToSocket {
			return
		}
	}
	for _, c := range r.conns {
		c.publishes = true
	}
	r.publishes = recorder
	if r.hooks.Publishes != nil {
		r.hooks.Publishes() // it may make room
	}
}
