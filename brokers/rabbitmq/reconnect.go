package rabbitmq

import (
	"context"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/outage"
)

// reconnectTimeout bounds one attempt to connect again.
const reconnectTimeout = 10 * time.Second

// reconnect tries until it has a link, and begins to use it. It returns nil when ctx or
// consuming has ended. An attempt goes on to its end when consuming has: the broker may
// deliver already.
func (c *conn) reconnect(ctx, consuming context.Context) (l *link) {
	began := time.Now()
	attempts, ok := outage.Retry(consuming, c.factory.options.reconnectWait, func() (err error) {
		if l, err = c.tryConnect(ctx); err != nil {
			c.disconnect(err)
		}
		return err
	}, func(err error) { c.Note("reconnecting: %v", err) })
	if !ok {
		return nil
	}
	c.begin(l)
	c.Note("reconnected after %v, at attempt %d", time.Since(began).Round(time.Millisecond), attempts)
	return l
}

func (c *conn) tryConnect(ctx context.Context) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, reconnectTimeout)
	defer cancel()
	return c.factory.connect(ctx, c.number)
}
