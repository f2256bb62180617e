package amqp1

import (
	"context"

	"github.com/brokerbench/brokerbench/brokers/internal/rabbitmq"
	"github.com/brokerbench/brokerbench/requester"
)

// A conn is one connection: a queue, with a session to send to it and one to consume it. Another
// goroutine hands a message to go-amqp: Request never blocks.
type conn struct {
	rabbitmq.Conn[*link]

	factory *Factory
}

func newConn(f *Factory, number int, sink requester.Sink) *conn {
	c := &conn{factory: f}
	c.Init(f.Queues, number, sink, f.explain, func(ctx context.Context) (*link, error) { return f.open(ctx, c) })
	return c
}

// Traits implements [requester.Requester]: the outcome of an unsettled message is its
// acknowledgement.
func (c *conn) Traits() requester.Traits {
	return requester.Traits{Acknowledges: c.factory.options.confirm}
}
