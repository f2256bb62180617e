package rabbitmq

import "errors"

var errNack = errors.New("the broker did not confirm the message (nack): the queue may be full, see max-length")

// awaitConfirms waits for the confirms of p, the oldest first, until its channel is
// closed. Messages without a confirm may then have been delivered or not: those
// that were have a reply.
func (c *conn) awaitConfirms(p *publisher) {
	for {
		h, ok := p.sent.oldest()
		if !ok {
			select {
			case <-p.sent.written:
				continue
			case <-p.retired:
				return
			}
		}
		<-h.confirm.Done() // amqp091-go ends all of them when the channel is closed
		if p.channel.IsClosed() {
			return
		}
		p.sent.pop(h)
		if !h.confirm.Acked() {
			lost := h // a copy, so that h is not allocated each time
			c.failed(lost.message(), errNack)
		}
	}
}
