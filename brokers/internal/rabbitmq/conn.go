package rabbitmq

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// A Conn is a connection with a queue, over any version of AMQP. A connection to the broker
// embeds it.
type Conn[L transport.Link] struct {
	transport.Conn[L]

	Number  int
	Queue   string // from which it receives; "": it only sends
	SendsTo string // a queue, or the exchange that leads to some; "": it only receives
}

// Init prepares a connection of that number. open makes a link for it, which declares the queue.
func (c *Conn[L]) Init(
	q *Queues, number int, sink requester.Sink, explain func(doing string, err error) error, open func(ctx context.Context) (L, error),
) {
	c.Conn.Init(sink, explain, q.options.ReconnectWait)
	c.Number, c.Open = number, open
	c.Make = func(_ context.Context, queue *leftover.Shared) error {
		queue.Set(q.options.outlive())
		return nil
	}
	if q.topology.Own() {
		c.Queue, c.SendsTo = q.Queue(number), q.broker.To(target.Name(q.broker.Run, number))
		c.Shares = []*leftover.Shared{q.add(number)}
		q.consumers.Add(&c.Reconnector)
		return
	}
	c.OneWay, c.SendsTo, c.Shares = true, q.Queue(number%q.exchanges()), q.queues.All()
}

// Join makes it a member of a group.
func (c *Conn[L]) Join(q *Queues, m requester.Member) {
	c.Number, c.Queue, c.SendsTo = m.Group*q.topology.Members+m.Number, q.Queue(m.Group), ""
	if !q.keys.None() {
		c.Queue = q.Queue(m.Group*q.topology.Topics + m.Number)
	}
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
	explain := func(doing string, err error) error { return f.explain(doing, c.blocked(err)) }
	c.Init(f.Queues, number, sink, explain, func(ctx context.Context) (*link, error) { return f.open(ctx, c) })
	return c
}

// blocked returns err, or that the broker takes no messages if it has reported so and a probe did
// not come back.
func (c *conn) blocked(err error) error {
	if why := c.alarm.Load(); why != nil && errors.Is(err, transport.ErrNotBack) {
		return fmt.Errorf("%w: %s", transport.ErrBlocked, *why)
	}
	return err
}

// Traits implements [requester.Requester]: a publisher confirm is an acknowledgement. For
// WritesToSocket see publisher.write.
func (c *conn) Traits() requester.Traits {
	return requester.Traits{Acknowledges: c.factory.options.confirm, WritesToSocket: true}
}
