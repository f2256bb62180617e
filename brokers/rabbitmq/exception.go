package rabbitmq

import (
	"context"

	amqp "github.com/rabbitmq/amqp091-go"
)

// replacePublisher opens another channel for one that the broker closed because a
// message was too large. Any other cause is returned: the connection has gone
// with the channel, or what was declared is gone and has to be declared again.
func (c *conn) replacePublisher(ctx context.Context, l *link, cause *amqp.Error) error {
	limit := sizeLimit(cause)
	if limit == 0 || l.outgoing.IsClosed() {
		return lost(cause)
	}
	refused := c.factory.explain("publishing", refusal{cause})
	c.disconnect(refused)
	c.Note("the channel was closed: %v", refused)
	c.tooLarge.Store(&sizeError{limit, refused})
	old := l.publisher
	if err := c.openPublisher(ctx, l); err != nil {
		return err
	}
	for _, h := range old.sent.after(limit) {
		c.failed(h.message(), refused)
	}
	return nil
}

// openPublisher replaces the publisher of a link by another.
func (c *conn) openPublisher(ctx context.Context, l *link) error {
	ctx, cancel := context.WithTimeout(ctx, reconnectTimeout)
	defer cancel()
	return l.during(ctx, func() error {
		p, err := c.factory.options.publish(l.outgoing, c.factory.queue(c.number))
		if err == nil {
			l.publisher.retire()
			c.use(l, p)
		}
		return err
	})
}

// A sizeError is why Request refuses messages beyond a limit by itself, once the
// broker has refused one: each would cost the channel, and the messages behind it.
type sizeError struct {
	limit int
	err   error
}
