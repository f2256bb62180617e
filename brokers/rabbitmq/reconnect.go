package rabbitmq

import (
	"context"
	"time"
)

// reconnectTimeout bounds one attempt to connect again.
const reconnectTimeout = 10 * time.Second

// reconnect tries until it has a link, and takes it into use; nil when ctx has
// ended. What it fails for is noted when it changes.
func (c *conn) reconnect(ctx context.Context) *link {
	began, last := time.Now(), ""
	for attempt := 1; ; attempt++ {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(c.factory.options.reconnectWait):
		}
		l, err := c.tryConnect(ctx)
		if err == nil {
			c.Note("reconnected after %v, at attempt %d", time.Since(began).Round(time.Millisecond), attempt)
			c.begin(l)
			return l
		}
		c.disconnect(err)
		if text := err.Error(); text != last && ctx.Err() == nil {
			c.Note("reconnecting: %v", err)
			last = text
		}
	}
}

func (c *conn) tryConnect(ctx context.Context) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, reconnectTimeout)
	defer cancel()
	return c.factory.connect(ctx, c.number)
}
