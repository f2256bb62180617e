package rabbitstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

// reconnectTimeout bounds one attempt to connect again.
const reconnectTimeout = 10 * time.Second

// begin begins to use a link.
func (c *conn) begin(l *link) {
	c.cutOf.Store(l)
	go c.confirm(l)
	c.link.Store(l)
}

// confirm passes on what the broker says of messages, until the producer is closed.
func (c *conn) confirm(l *link) {
	for statuses := range l.confirms {
		for _, status := range statuses {
			c.settle(status)
		}
	}
}

// settle passes on what became of a message. If the connection ended before a confirm, that
// is not known: the message comes back, or it is lost.
func (c *conn) settle(status *stream.ConfirmationStatus) {
	if c.ending.Load() {
		return
	}
	payload := status.GetMessage().GetData()[0]
	switch err := status.GetError(); {
	case status.IsConfirmed():
		c.acked(payload)
	case !errors.Is(err, stream.ConfirmationTimoutError):
		c.failed(payload, c.factory.explain("publishing", err))
	}
}

// supervise waits until the link is lost and reconnects, again and again, until ctx
// ends.
func (c *conn) supervise(ctx context.Context, l *link) {
	defer close(c.ended)
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

// reconnect tries until it has a link, and begins to use it. It returns nil when ctx
// has ended. It notes each reason for a failed attempt once.
func (c *conn) reconnect(ctx context.Context) *link {
	began, noted := time.Now(), map[string]bool{}
	for attempt := 1; ; attempt++ {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(c.factory.options.reconnectWait):
		}
		l, err := c.tryConnect(ctx)
		if err == nil {
			c.begin(l)
			c.Note("reconnected after %v, at attempt %d", time.Since(began).Round(time.Millisecond), attempt)
			return l
		}
		c.disconnect(err)
		if kind := digits.ReplaceAllString(err.Error(), ""); !noted[kind] && ctx.Err() == nil {
			c.Note("reconnecting: %v", err)
			noted[kind] = true
		}
	}
}

// tryConnect connects, to go on behind the last message that came.
func (c *conn) tryConnect(ctx context.Context) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, reconnectTimeout)
	defer cancel()
	c.taking.Lock()
	from := stream.OffsetSpecification{}.Offset(c.next)
	c.credits.used = 0
	c.taking.Unlock()
	return c.factory.connect(ctx, c.number, from, c.take)
}
