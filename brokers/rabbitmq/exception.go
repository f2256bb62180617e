package rabbitmq

import (
	"context"

	"github.com/brokerbench/brokerbench/brokers/internal/supervise"
	amqp "github.com/rabbitmq/amqp091-go"
)

// replacePublisher opens a new channel if the broker closed the old one because a
// message was too large. It returns any other cause: then the connection is gone
// too, or the queue or exchange is gone and has to be declared again.
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

// openPublisher gives a link a new publisher.
func (c *conn) openPublisher(ctx context.Context, l *link) error {
	ctx, cancel := context.WithTimeout(ctx, supervise.Timeout)
	defer cancel()
	return l.during(ctx, func() error {
		p, err := c.factory.options.publish(l.outgoing, c.factory.sendsTo(c.number))
		if err == nil {
			l.publisher.retire()
			c.use(l, p)
		}
		return err
	})
}

// A sizeError is the error for messages beyond a limit, once the broker has refused
// one. Request refuses them itself, because each would cost the channel and the
// messages behind it.
type sizeError struct {
	limit int
	err   error
}
