package rabbitmq

import (
	"errors"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/requester"
	amqp "github.com/rabbitmq/amqp091-go"
)

var errNack = errors.New("the broker did not confirm the message (nack): the queue may be full, see max-length")

// An outcome passes on the confirms and returns of a publisher.
type outcome struct {
	*link

	publisher *publisher
	returns   <-chan amqp.Return       // nil once the channel is closed
	returned  map[transport.Stamp]bool // these are confirmed as well, but are in no queue
}

// await passes on returns, and confirms, which amqp091-go puts in their order, until the channel is
// closed. Messages without a confirm may then have been delivered or not: those that were have a
// reply.
func (o *outcome) await() {
	confirms := o.publisher.confirms
	for o.returns != nil || confirms != nil {
		select {
		case back, open := <-o.returns:
			o.takeBack(back, open)
		case confirm, open := <-confirms:
			if open {
				o.settle(confirm)
			} else {
				confirms = nil
			}
		}
	}
}

// settle reports the outcome of a message. The broker returns a message before it confirms it, and
// amqp091-go keeps that order: a return of this message is in the channel by now.
func (o *outcome) settle(confirm amqp.Confirmation) {
	for len(o.returns) > 0 {
		back, open := <-o.returns
		o.takeBack(back, open)
	}
	m, ok := o.publisher.sent.confirmed(confirm.DeliveryTag - 1)
	switch {
	case !ok || m.probe():
	case len(o.returned) > 0 && o.returned[m.stamp]:
		delete(o.returned, m.stamp)
	case confirm.Ack:
		o.conn.Acked(m.stamp[:])
	default:
		o.conn.Failed(m.stamp[:], errNack)
	}
}

// takeBack reports a message that the broker returned.
func (o *outcome) takeBack(back amqp.Return, open bool) {
	switch {
	case !open:
		o.returns = nil
		return
	case len(back.Body) < requester.StampSize: // a probe
		o.lose(returned(back))
		return
	case o.publisher.sent.confirms:
		o.returned[transport.Stamp(back.Body)] = true
	}
	o.conn.Failed(back.Body, returned(back))
}
