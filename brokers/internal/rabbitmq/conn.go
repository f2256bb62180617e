package rabbitmq

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/internal/management"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/requester"
)

// A Conn is a connection with a queue, over any version of AMQP. A connection to the broker
// embeds it.
type Conn[L transport.Link] struct {
	transport.Conn[L]
	Consumer

	queues *Queues
}

// Init prepares a connection of that number. open makes a link for it.
func (c *Conn[L]) Init(q *Queues, number int, sink requester.Sink, open func(ctx context.Context) (L, error)) {
	c.queues, c.Number, c.Sink, c.Open = q, number, sink, open
	c.Conn.Reconnector = transport.Reconnector{Pause: q.options.ReconnectWait, Event: sink.Event}
	c.Reconnector = &c.Conn.Reconnector
	q.all.Add(&c.Consumer)
}

// Setup implements [requester.Requester].
func (c *Conn[L]) Setup(ctx context.Context) error {
	c.declared.Store(true)
	return c.Conn.Setup(ctx)
}

// Teardown implements [requester.Requester]: it ends the link, and removes the queue.
func (c *Conn[L]) Teardown(ctx context.Context) error {
	_ = c.Conn.Teardown(ctx) // never fails
	return c.queues.removeQueue(ctx, &c.Consumer)
}

// A conn is one connection: a queue, with a channel to publish and one to consume.
type conn struct {
	Conn[*link]

	factory *Factory
	refused atomic.Pointer[sizeError] // nil until the broker has refused a message
	alarm   atomic.Pointer[string]    // why the broker takes no messages; nil: it takes them
}

// A sizeError is the error for messages beyond a limit, once the broker has refused
// one. Request refuses them itself, because each would cost the channel and the
// messages behind it.
type sizeError struct {
	limit int
	err   error
}

func newConn(f *Factory, number int, sink requester.Sink) *conn {
	c := &conn{factory: f}
	c.Init(f.Queues, number, sink, func(ctx context.Context) (*link, error) { return f.open(ctx, c) })
	c.Explain = func(doing string, err error) error { return f.explain(doing, c.blocked(err)) }
	return c
}

// blocked returns err, or that the broker takes no messages if it has reported so and a probe did
// not come back.
func (c *conn) blocked(err error) error {
	if why := c.alarm.Load(); why != nil && errors.Is(err, transport.ErrNotBack) {
		return fmt.Errorf("%w: %s", management.ErrBlocked, *why)
	}
	return err
}

// Traits implements [requester.Requester]: a publisher confirm is an acknowledgement. For
// WritesToSocket see publisher.write.
func (c *conn) Traits() requester.Traits {
	return requester.Traits{Acknowledges: c.factory.options.confirm, WritesToSocket: true}
}
