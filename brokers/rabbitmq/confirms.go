package rabbitmq

import (
	"bytes"
	"errors"

	"github.com/brokerbench/brokerbench/requester"
	amqp "github.com/rabbitmq/amqp091-go"
)

var errNack = errors.New("the broker did not confirm the message (nack): the queue may be full, see max-length")

// An ackConn is a connection whose messages are confirmed.
type ackConn struct{ *conn }

var (
	_ requester.Acknowledger    = ackConn{}
	_ requester.FailureNotifier = ackConn{}
	_ requester.Witness         = ackConn{}
	_ requester.Leaver          = ackConn{}
)

// NotifyAck implements [requester.Acknowledger]: a confirm is an acknowledgement.
func (c ackConn) NotifyAck(ack func([]byte)) { c.acked = ack }

// confirms are what the broker says of the messages of a publisher.
type confirms struct {
	*conn
	failures  failures
	publisher *publisher
	first     uint64 // the delivery tag of the first message that is remembered
	returns   <-chan amqp.Return
	returned  map[[requester.StampSize]byte]bool // these are confirmed, too, but are in no queue
	oldest    head
}

// await passes on the confirms, in the order of their messages, until the channel is closed.
// Messages without a confirm may then have been delivered or not: those that were have a
// reply. amqp091-go has a confirm that comes early wait for those of older messages.
//
// While confirms are not taken amqp091-go does not read, and drops them after 5 s: so nothing
// is waited for here. Failures, after which the engine may send, go to another goroutine.
func (c *confirms) await() {
	for {
		select {
		case confirmed, open := <-c.publisher.confirms:
			if !open {
				return
			}
			c.settle(confirmed)
		case back, open := <-c.returns:
			c.refuse(back, open)
		}
	}
}

// settle passes on what became of a message. The broker returns a message before it confirms
// it, and amqp091-go keeps that order: what was returned waits in the channel by now.
func (c *confirms) settle(confirmed amqp.Confirmation) {
	for len(c.returns) > 0 {
		back, open := <-c.returns
		c.refuse(back, open)
	}
	var ok bool
	c.oldest, ok = c.publisher.sent.take(confirmed.DeliveryTag - c.first)
	switch {
	case !ok: // a probe, or it is known what became of it
	case len(c.returned) > 0 && c.returned[c.oldest.stamp]:
		delete(c.returned, c.oldest.stamp)
	case !confirmed.Ack:
		c.failures.add(bytes.Clone(c.oldest.message()), errNack)
	case c.acked != nil && !c.ending.Load():
		c.acked(c.oldest.message())
	}
}

// refuse takes a message that the broker returned.
func (c *confirms) refuse(back amqp.Return, open bool) {
	if !open {
		c.returns = nil
		return
	}
	var stamp [requester.StampSize]byte
	copy(stamp[:], back.Body)
	if c.returned == nil {
		c.returned = make(map[[requester.StampSize]byte]bool)
	}
	c.returned[stamp] = true
	c.failures.add(back.Body, returned(back))
}
