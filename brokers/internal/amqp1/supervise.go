package amqp1

import "context"

// begin begins to use a link, until ctx ends.
func (c *conn) begin(ctx context.Context, l *link) {
	ctx, l.cancel = context.WithCancel(ctx)
	receiving, stop := context.WithCancel(ctx)
	l.stopReceiving = stop
	c.link.Store(l)
	l.work.Go(func() { c.deliver(ctx, receiving, l) })
	l.work.Go(func() { c.publish(ctx, l) })
	if c.factory.options.confirm {
		l.work.Go(func() { c.settle(ctx, l) })
	}
	c.queue.Store(l.queue)
}

// supervise waits until the link is lost and reconnects, again and again, until ctx
// ends; or consuming, which ends no later than ctx.
func (c *conn) supervise(ctx, consuming context.Context, l *link) {
	defer c.End()
	for l != nil {
		cause := errClosed
		select {
		case cause = <-l.lost:
		case <-consuming.Done():
		}
		c.disconnect(l, cause)
		switch {
		case consuming.Err() == nil:
			c.Note("disconnected: %v", plain(cause))
			if !c.factory.options.accept {
				c.factory.Broke()
			}
			l.Cut()
		case ctx.Err() == nil:
			c.finish(ctx, l)
		}
		l.end()
		l = c.reconnect(ctx, consuming)
	}
	c.disconnect(nil, errClosed)
}

// finish passes on the deliveries that have left the queue. Those that are not accepted go back
// to it.
func (c *conn) finish(ctx context.Context, l *link) {
	if c.factory.options.accept {
		c.ending.Store(true)
	} else {
		l.granting.stop(ctx)
	}
	l.stopReceiving()
	select {
	case <-l.delivered:
	case <-ctx.Done():
	}
}

// reconnect tries until it has a link, and begins to use it. It returns nil when ctx or
// consuming has ended.
func (c *conn) reconnect(ctx, consuming context.Context) (l *link) {
	c.Reconnect(ctx, consuming, func(attempt context.Context) (err error) {
		if l, err = c.factory.connect(attempt, c.Number); err != nil {
			c.disconnect(nil, err)
			return plain(err)
		}
		c.begin(ctx, l)
		return nil
	})
	return l
}
