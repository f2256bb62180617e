package rabbitmq

import (
	"context"
	"errors"

	amqp "github.com/rabbitmq/amqp091-go"
)

// begin takes a link into use.
func (c *conn) begin(l *link) {
	c.link.Store(l)
	l.work.Go(func() { c.deliver(l.consumer) })
	c.use(l, l.publisher)
}

// use takes a publisher into use.
func (c *conn) use(l *link, p *publisher) {
	l.publisher = p
	if p.sent.confirms {
		l.work.Go(func() { c.awaitConfirms(p) })
	}
	c.publisher.Store(p)
}

// deliver passes on what comes, until the channel is closed.
func (c *conn) deliver(from *consumer) {
	for d := range from.deliveries {
		if c.ending.Load() {
			continue
		}
		c.reply(d.Body)
		from.take(d)
	}
}

// failed says that a message was not carried, after Request has returned.
func (c *conn) failed(message []byte, cause error) {
	if !c.ending.Load() {
		c.fail(message, c.factory.explain("publishing", cause))
	}
}

// supervise watches l, and connects again whenever the connection is lost, until
// ctx ends.
func (c *conn) supervise(ctx context.Context, l *link) {
	defer close(c.ended)
	defer c.disconnect(errClosed)
	for l != nil {
		cause := c.watch(ctx, l)
		c.disconnect(cause)
		l.publisher.retire()
		if ctx.Err() == nil {
			c.Note("disconnected: %v", cause)
			l.cut()
		}
		l.close()
		l = c.reconnect(ctx)
	}
}

// watch returns why the link is lost; errClosed when ctx has ended.
func (c *conn) watch(ctx context.Context, l *link) error {
	for {
		select {
		case <-ctx.Done():
			return errClosed
		case cause := <-l.closed:
			return lost(cause)
		case _, ok := <-l.cancelled:
			if ok {
				return errors.New("the broker cancelled the subscription: somebody deleted the queue")
			}
			return l.lost()
		case cause := <-l.publisher.closed:
			if err := c.replacePublisher(ctx, l, cause); err != nil {
				return err
			}
		case back, ok := <-l.publisher.returns:
			if !ok {
				l.publisher.returns = nil // closed before p.closed is looked at
			} else {
				c.failed(back.Body, returned(back))
			}
		case state, ok := <-l.blocked:
			if !ok {
				l.blocked = nil
			} else {
				c.noteBlocked(state)
			}
		}
	}
}

func (c *conn) noteBlocked(state amqp.Blocking) {
	if state.Active {
		c.Note("blocked: the broker takes no messages: %s", state.Reason)
	} else {
		c.Note("unblocked: the broker takes messages again")
	}
}
