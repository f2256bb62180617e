package rabbitstream

import (
	"context"
	"sync"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/amqp"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

// A conn is one connection: a stream, with a producer and a consumer.
type conn struct {
	transport.Conn[*link]

	factory *Factory
	number  int

	taking  sync.Mutex // held while a message is passed on
	next    int64      // offset after the last message; under taking
	credits credits    // under taking
}

func newConn(f *Factory, number int, sink requester.Sink) *conn {
	c := &conn{factory: f, number: number}
	c.Init(sink, f.explain, f.options.ReconnectWait)
	c.Make, c.Open = c.create, c.open
	c.Kind, c.Name, c.Delete = "stream", f.stream(number), c.remove
	c.credits.quarter = int16(f.options.credits / 4)
	f.all.Add(c)
	return c
}

// Traits implements [requester.Requester]: a confirm is an acknowledgement.
func (c *conn) Traits() requester.Traits { return requester.Traits{Acknowledges: true} }

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

// Teardown implements [requester.Requester]. When it returns, the last reply has returned.
func (c *conn) Teardown(ctx context.Context) error {
	err := c.Conn.Teardown(ctx)
	c.taking.Lock()
	defer c.taking.Unlock()
	return err
}
