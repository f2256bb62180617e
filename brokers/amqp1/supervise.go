package amqp1

import (
	"context"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/outage"
)

// reconnectTimeout bounds one attempt to connect again.
const reconnectTimeout = 10 * time.Second

// begin begins to use a link, until ctx ends.
func (c *conn) begin(ctx context.Context, l *link) {
	ctx, l.cancel = context.WithCancel(ctx)
	receiving, hush := context.WithCancel(ctx)
	l.hush = hush
	c.link.Store(l)
	l.work.Go(func() { c.deliver(ctx, receiving, l) })
	l.work.Go(func() { c.publish(ctx, l) })
	if c.factory.options.confirm {
		l.work.Go(func() { c.settle(ctx, l) })
	}
	c.outbox.Store(l.outbox)
}

// supervise waits until the link is lost and reconnects, again and again, until ctx
// ends; or consuming, which ends before ctx and at the latest with it.
func (c *conn) supervise(ctx, consuming context.Context, l *link) {
	defer close(c.ended)
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
			l.cut()
		case ctx.Err() == nil:
			c.finish(ctx, l)
		}
		l.end()
		l = c.reconnect(ctx, consuming)
	}
	c.disconnect(nil, errClosed)
}

// finish passes on what is in the queue no more. What waits to be accepted goes back to the
// queue.
func (c *conn) finish(ctx context.Context, l *link) {
	if c.factory.options.accept {
		c.ending.Store(true)
	} else {
		l.granting.stop(ctx)
	}
	l.hush()
	select {
	case <-l.delivered:
	case <-ctx.Done():
	}
}

// reconnect tries until it has a link, and begins to use it. It returns nil when ctx or
// consuming has ended. An attempt goes on to its end when consuming has: the broker may
// deliver already.
func (c *conn) reconnect(ctx, consuming context.Context) (l *link) {
	began := time.Now()
	attempts, ok := outage.Retry(consuming, c.factory.options.reconnectWait, func() (err error) {
		ctx, cancel := context.WithTimeout(ctx, reconnectTimeout)
		defer cancel()
		if l, err = c.factory.connect(ctx, c.number); err != nil {
			c.disconnect(nil, err)
		}
		return err
	}, func(err error) { c.Note("reconnecting: %v", plain(err)) })
	if !ok {
		return nil
	}
	c.begin(ctx, l)
	c.Note("reconnected after %v, at attempt %d", time.Since(began).Round(time.Millisecond), attempts)
	return l
}
