package rabbitmq

import (
	"errors"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/requester"
	amqp "github.com/rabbitmq/amqp091-go"
)

var errNack = errors.New("the broker did not confirm the message (nack): the queue may be full, see max-length")

// confirms passes on the confirms and returns of a publisher.
type confirms struct {
	*link

	publisher *publisher
	returns   <-chan amqp.Return                 // nil once the channel is closed
	returned  map[[requester.StampSize]byte]bool // these are confirmed as well, but are in no queue
	oldest    message
}

// await passes on returns, and the confirms, the oldest first, until the channel is closed.
// Messages without a confirm may then have been delivered or not: those that were have a reply.
//
// The broker confirms a queue's messages in their order. Otherwise a confirm waits here for
// those of older messages.
func (c *confirms) await() {
	for c.next() {
		select {
		case <-c.oldest.confirm.Done(): // amqp091-go ends all of them when the channel is closed
			if !c.settle() {
				return
			}
		case back, open := <-c.returns:
			c.takeBack(back, open)
		}
	}
}

// next waits for a message that waits for its confirm. It returns false if there will be none.
func (c *confirms) next() (ok bool) {
	for {
		if c.oldest, ok = c.publisher.sent.oldest(); ok || c.returns == nil {
			return ok
		}
		select {
		case <-c.publisher.sent.written:
		case back, open := <-c.returns:
			c.takeBack(back, open)
		}
	}
}

// settle reports the outcome of the oldest message. It returns false if the channel is closed.
// The broker returns a message before it confirms it, and amqp091-go keeps that order: a return
// of this message is in the channel by now.
func (c *confirms) settle() bool {
	acked := c.oldest.confirm.Acked()
	if !acked && c.publisher.channel.IsClosed() {
		return false
	}
	for len(c.returns) > 0 {
		back, open := <-c.returns
		c.takeBack(back, open)
	}
	c.publisher.sent.pop(c.oldest)
	switch {
	case len(c.returned) > 0 && c.returned[c.oldest.stamp]:
		delete(c.returned, c.oldest.stamp)
	case !acked:
		c.conn.Failed(c.oldest.payload(), errNack)
	default:
		c.conn.Acked(c.oldest.payload())
	}
	return true
}

// takeBack reports a message that the broker returned. A probe is too short for a request.
func (c *confirms) takeBack(back amqp.Return, open bool) {
	payload := requester.Join(nil, transport.StampOf(back.Headers), back.Body)
	switch {
	case !open:
		c.returns = nil
		return
	case len(payload) < requester.StampSize:
		c.Lose(returned(back))
		return
	case c.publisher.sent.confirms:
		if c.returned == nil {
			c.returned = make(map[[requester.StampSize]byte]bool)
		}
		c.returned[[requester.StampSize]byte(payload)] = true
	}
	c.conn.Failed(payload, returned(back))
}
