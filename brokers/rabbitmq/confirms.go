package rabbitmq

import "errors"

var errNack = errors.New("the broker did not confirm the message (nack): the queue may be full, see max-length")

// awaitConfirms learns what became of the messages of p, the oldest first, until
// its channel is closed. What is not confirmed then may have been carried or not:
// the reply will tell.
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
		<-h.confirm.Done() // amqp091-go ends them all when the channel is closed
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
