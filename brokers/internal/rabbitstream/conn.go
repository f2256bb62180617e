package rabbitstream

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/amqp"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

// A conn is one connection: a stream, with a producer and a consumer.
type conn struct {
	transport.Conn[*link]

	factory  *Factory
	number   int
	declared atomic.Bool // a stream, or tried to

	taking  sync.Mutex // held while a message is passed on
	next    int64      // offset after the last message; under taking
	credits credits    // under taking
}

func newConn(f *Factory, number int, sink requester.Sink) *conn {
	c := &conn{factory: f, number: number}
	c.Sink, c.Explain = sink, f.explain
	c.Reconnector = transport.Reconnector{Pause: f.options.ReconnectWait, Event: sink.Event}
	c.Open = c.open
	c.credits.quarter = int16(f.options.credits / 4)
	f.all.Add(c)
	return c
}

// Traits implements [requester.Requester]: a confirm is an acknowledgement.
func (c *conn) Traits() requester.Traits { return requester.Traits{Acknowledges: true} }

// Setup implements [requester.Requester]: it creates the stream, publishes and consumes, and
// sends a probe to itself.
func (c *conn) Setup(ctx context.Context) error {
	name := c.factory.stream(c.number)
	if err := c.create(ctx, name); err != nil {
		return c.factory.explain("creating stream "+name, target.Because(ctx, err))
	}
	return c.Conn.Setup(ctx)
}

// open makes a link, which continues after the last message that came.
func (c *conn) open(ctx context.Context) (*link, error) {
	c.taking.Lock()
	from := stream.OffsetSpecification{}.Offset(c.next)
	c.credits.used = 0
	c.taking.Unlock()
	l, err := c.factory.connect(ctx, c.number, from, c.take)
	if err != nil {
		return nil, target.Because(ctx, err)
	}
	go c.confirm(l)
	return l, nil
}

// take passes on a delivery.
func (c *conn) take(from stream.ConsumerContext, m *amqp.Message) {
	c.taking.Lock()
	defer c.taking.Unlock()
	if !c.Deliver(m.GetData()) {
		return
	}
	c.next = from.Consumer.GetOffset() + 1
	if !c.factory.options.creditEach {
		c.credits.grant(from)
	}
}

// Teardown implements [requester.Requester]: it ends the link, and a Request that hangs on
// it, and removes the stream over a new connection.
func (c *conn) Teardown(ctx context.Context) error {
	_ = c.Conn.Teardown(ctx) // never fails
	c.taking.Lock()          // the last reply has returned
	defer c.taking.Unlock()
	if !c.declared.Load() {
		return nil
	}
	return c.remove(ctx)
}
