package rabbitmq

import (
	"context"
	"regexp"
	"time"
)

// reconnectTimeout bounds one attempt to connect again.
const reconnectTimeout = 10 * time.Second

// digits of an error do not make it another one: the local port changes with each
// attempt.
var digits = regexp.MustCompile(`[0-9]`)

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

func (c *conn) tryConnect(ctx context.Context) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, reconnectTimeout)
	defer cancel()
	return c.factory.connect(ctx, c.number)
}
