package rabbitmq

import (
	"context"
	"strings"
	"time"
)

// reconnectTimeout bounds one attempt to connect again.
const reconnectTimeout = 10 * time.Second

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
		if kind := withoutNumbers(err); !noted[kind] && ctx.Err() == nil {
			c.Note("reconnecting: %v", err)
			noted[kind] = true
		}
	}
}

// withoutNumbers returns the text of an error without digits: the local port in it
// changes with each attempt.
func withoutNumbers(err error) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, err.Error())
}

func (c *conn) tryConnect(ctx context.Context) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, reconnectTimeout)
	defer cancel()
	return c.factory.connect(ctx, c.number)
}
