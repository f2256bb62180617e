package rabbitstream

import (
	"context"
	"errors"
	"fmt"

	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

// begin begins to use a link.
func (c *conn) begin(l *link) {
	c.latest.Store(l)
	go c.confirm(l)
	c.link.Store(l)
}

// confirm reports the outcomes of messages, until the producer is closed.
func (c *conn) confirm(l *link) {
	for statuses := range l.confirms {
		for _, status := range statuses {
			c.settle(status)
		}
	}
}

// settle reports the outcome of a message. If the connection ended before a confirm, the outcome
// is not known: the message comes back, or it is lost.
func (c *conn) settle(status *stream.ConfirmationStatus) {
	if c.ending.Load() {
		return
	}
	payload := status.GetMessage().GetData()[0]
	switch err := status.GetError(); {
	case status.IsConfirmed():
		c.sink.Acked(payload)
	case !errors.Is(err, stream.ConfirmationTimoutError):
		c.sink.Failed(payload, c.factory.explain("publishing", err))
	}
}

// supervise waits until the link is lost and reconnects, again and again, until ctx
// ends.
func (c *conn) supervise(ctx context.Context, l *link) {
	defer c.End()
	defer c.disconnect(errClosed)
	for l != nil {
		cause := l.untilLost(ctx)
		c.disconnect(cause)
		if ctx.Err() == nil {
			c.Note("disconnected: %v", cause)
			l.cut()
		}
		l.close()
		l = c.reconnect(ctx)
	}
}

// untilLost returns why the link is lost; errClosed when ctx has ended.
func (l *link) untilLost(ctx context.Context) error {
	var event stream.Event
	select {
	case <-ctx.Done():
		return errClosed
	case event = <-l.lost:
	case event = <-l.abandoned:
	}
	switch event.Reason {
	case stream.SocketClosed, stream.ZombieConsumer:
		return errLost
	case stream.MetaDataUpdate:
		return errUnavailable
	}
	return fmt.Errorf("%w: %s", errLost, event.Reason)
}

// reconnect tries until it has a link, which continues after the last message that came, and
// begins to use it. It returns nil when ctx has ended.
func (c *conn) reconnect(ctx context.Context) (l *link) {
	c.Reconnect(ctx, ctx, func(attempt context.Context) (err error) {
		c.taking.Lock()
		from := stream.OffsetSpecification{}.Offset(c.next)
		c.credits.used = 0
		c.taking.Unlock()
		if l, err = c.factory.connect(attempt, c.number, from, c.take); err != nil {
			c.disconnect(err)
			return err
		}
		c.begin(l)
		return nil
	})
	return l
}
