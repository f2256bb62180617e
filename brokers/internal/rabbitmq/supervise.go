package rabbitmq

import (
	"context"
	"errors"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
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
		p.returns = nil // confirms receives them instead of supervise
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
		c.sink.Reply(d.Body)
		from.ack(d)
	}
}

// supervise waits until the link is lost and reconnects, again and again, until ctx
// ends; or consuming, which ends no later than ctx.
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
			c.broke(l.consumer)
			l.cut()
		case ctx.Err() == nil:
			c.finish(ctx, l)
		}
		l.close()
		l = c.reconnect(ctx, consuming)
	}
}

// finish passes on the deliveries that have left the queue. Those that wait for an
// acknowledgement go back to it.
func (c *conn) finish(ctx context.Context, l *link) {
	c.ending.Store(l.acks)
	defer context.AfterFunc(ctx, l.cut)()
	if !l.cancel() {
		c.broke(l.consumer)
	}
}

// broke records that a consumer was cut off.
func (c *conn) broke(consumer *consumer) {
	if !consumer.acks {
		c.factory.Broke()
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
				return errors.New("the broker cancelled the subscription: another client deleted the queue")
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
			switch {
			case !ok:
				l.blocked = nil
			case state.Active:
				c.Note("blocked: the broker takes no messages: %s", state.Reason)
			default:
				c.Note("unblocked: the broker takes messages again")
			}
		}
	}
}

// replacePublisher opens a new channel if the broker closed the old one because a
// message was too large. It returns any other cause: then the connection is gone
// too, or the queue or exchange is gone and has to be declared again.
func (c *conn) replacePublisher(ctx context.Context, l *link, cause *amqp.Error) error {
	limit := sizeLimit(cause)
	if limit == 0 || l.outgoing.IsClosed() {
		return lost(cause)
	}
	refused := c.factory.explain("publishing", serverError{cause})
	c.disconnect(refused)
	c.Note("the channel was closed: %v", refused)
	c.tooLarge.Store(&sizeError{limit, refused})
	old := l.publisher
	ctx, cancel := context.WithTimeout(ctx, transport.ReconnectTimeout)
	defer cancel()
	err := l.during(ctx, func() error {
		p, err := c.factory.options.publish(l.outgoing, c.factory.sendsTo(c.Number))
		if err == nil {
			old.retire()
			c.use(l, p)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, m := range old.sent.after(limit) {
		c.failed(m.payload(), refused)
	}
	return nil
}

// reconnect tries until it has a link, and begins to use it. It returns nil when ctx or
// consuming has ended.
func (c *conn) reconnect(ctx, consuming context.Context) (l *link) {
	c.Reconnect(ctx, consuming, func(attempt context.Context) (err error) {
		if l, err = c.factory.connect(attempt, c.Number); err != nil {
			c.disconnect(err)
			return err
		}
		c.begin(l)
		return nil
	})
	return l
}
