package mqtt

import (
	"context"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/requester"
)

// A conn is one connection: a topic, with a socket to publish and one that is subscribed.
type conn struct {
	transport.Conn[*link]

	factory *Factory
	number  int
	kept    atomic.Bool // there may be a session for the audit
}

func newConn(f *Factory, number int, sink requester.Sink) *conn {
	c := &conn{factory: f, number: number}
	c.Sink, c.Explain = sink, f.explain
	c.Reconnector = transport.Reconnector{Pause: f.options.reconnectWait, Event: sink.Event}
	c.Open = func(ctx context.Context) (*link, error) { return f.open(ctx, c) }
	return c
}

// Traits implements [requester.Requester]. A message that is acknowledged may have to wait for
// the broker's window.
func (c *conn) Traits() requester.Traits {
	return requester.Traits{Acknowledges: c.factory.options.qos > 0, WritesToSocket: c.factory.options.qos == 0}
}

// Setup implements [requester.Requester].
func (c *conn) Setup(ctx context.Context) error {
	if err := c.makeSession(ctx); err != nil {
		return c.factory.explain("making the session for the audit", err)
	}
	return c.Conn.Setup(ctx)
}

// Teardown implements [requester.Requester].
func (c *conn) Teardown(ctx context.Context) error {
	_ = c.Conn.Teardown(ctx) // never fails
	return c.removeSession(ctx)
}
