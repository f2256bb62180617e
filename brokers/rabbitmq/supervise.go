package rabbitmq

import (
	"context"
	"errors"

	amqp "github.com/rabbitmq/amqp091-go"
)

// begin begins to use a link.
func (c *conn) begin(l *link) {
	c.link.Store(l)
	l.work.Go(func() { c.deliver(l.consumer) })
	c.use(l, l.publisher)
}

// use begins to use a publisher.
func (c *conn) use(l *link, p *publisher) {
	l.publisher = p
	if p.sent.confirms {
		confirms := &confirms{conn: c, publisher: p, returns: p.returns}
		p.returns = nil // supervise does not wait for them
		l.work.Go(confirms.await)
	}
	c.publisher.Store(p)
}

// deliver passes on replies until the channel is closed.
func (c *conn) deliver(from *consumer) {
	defer close(from.ended)
	for d := range from.deliveries {
		if c.ending.Load() {
			continue
		}
		c.reply(d.Body)
		from.take(d)
	}
}

// failed reports that a message failed after Request had returned.
func (c *conn) failed(message []byte, cause error) {
	if !c.ending.Load() {
		c.fail(message, c.factory.explain("publishing", cause))
	}
}

// supervise waits until the link is lost and reconnects, again and again, until ctx
// ends; or consuming, which ends before ctx and at the latest with it.
func (c *conn) supervise(ctx, consuming context.Context, l *link) {
	defer c.End()
	defer c.disconnect(errClosed)
	for l != nil {
		cause := c.untilLost(ctx, consuming, l)
		c.disconnect(cause)
		l.publisher.retire()
		switch {
		case consuming.Err() == nil:
			c.Note("disconnected: %v", cause)
			c.factory.broke(l.consumer)
			l.cut()
		case ctx.Err() == nil:
			c.finish(ctx, l)
		}
		l.close()
		l = c.reconnect(ctx, consuming)
	}
}

// finish passes on what is in the queue no more. What waits for an acknowledgement goes back
// to the queue.
func (c *conn) finish(ctx context.Context, l *link) {
	c.ending.Store(l.acks)
	defer context.AfterFunc(ctx, l.cut)()
	if !l.cancel() {
		c.factory.broke(l.consumer)
	}
}

// broke notes that a consumer was cut off: without acknowledgements the broker has forgotten
// what it has sent, and the client drops what it has read and not passed on.
func (f *Factory) broke(c *consumer) {
	if c != nil && !c.acks {
		f.broken.Store(true)
	}
}

// untilLost returns why the link is lost; errClosed when consuming has ended.
func (c *conn) untilLost(ctx, consuming context.Context, l *link) error {
	for {
		select {
		case <-consuming.Done():
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
				l.publisher.returns = nil // it is closed with the channel: the cause is in closed
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

// reconnect tries until it has a link, and begins to use it. It returns nil when ctx or
// consuming has ended.
func (c *conn) reconnect(ctx, consuming context.Context) (l *link) {
	c.Reconnect(ctx, consuming, func(attempt context.Context) (err error) {
		if l, err = c.factory.connect(attempt, c.number); err != nil {
			c.disconnect(err)
			return err
		}
		c.begin(l)
		return nil
	})
	return l
}

func (c *conn) noteBlocked(state amqp.Blocking) {
	if state.Active {
		c.Note("blocked: the broker takes no messages: %s", state.Reason)
	} else {
		c.Note("unblocked: the broker takes messages again")
	}
}
