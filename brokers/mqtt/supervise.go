package mqtt

import "context"

// begin begins to use a link, until ctx ends.
func (c *conn) begin(ctx context.Context, l *link) {
	ctx, l.cancel = context.WithCancel(ctx)
	if l.qos > 0 {
		l.work.Go(func() { l.drain(ctx, c.failed) })
	}
	c.link.Store(l)
}

// supervise waits until the link is lost and reconnects, again and again, until ctx ends.
func (c *conn) supervise(ctx context.Context, l *link) {
	defer c.End()
	for l != nil {
		cause := errClosed
		select {
		case cause = <-l.up.lost:
		case cause = <-l.down.lost:
		case <-ctx.Done():
		}
		if ctx.Err() == nil {
			c.torn.Store(true)
			c.Note("disconnected: %v", cause)
			l.cut()
		} else {
			cause = errClosed
		}
		c.disconnect(l, cause)
		l.cancel()
		l.close()
		l.work.Wait()
		l = c.reconnect(ctx)
	}
	c.disconnect(nil, errClosed)
}

// disconnect makes requests fail with that cause, and those that wait in the outbox of a
// link.
func (c *conn) disconnect(l *link, cause error) {
	err := c.factory.explain("publishing", cause)
	c.down.Store(&err)
	c.link.Store(nil)
	if l == nil {
		return
	}
	for _, message := range l.outbox.Close(err) {
		c.failed(message, err)
	}
}

// reconnect tries until it has a link, and begins to use it. It returns nil when ctx has
// ended.
func (c *conn) reconnect(ctx context.Context) (l *link) {
	c.Reconnect(ctx, ctx, func(attempt context.Context) (err error) {
		if l, err = c.factory.join(attempt, c); err != nil {
			c.disconnect(nil, err)
			return err
		}
		c.begin(ctx, l)
		return nil
	})
	return l
}
