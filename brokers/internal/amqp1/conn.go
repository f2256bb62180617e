package amqp1

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/internal/rabbitmq"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/requester"
)

var (
	errNotSetUp = errors.New("not set up")
	errClosed   = errors.New("torn down")
)

// A conn is one connection: a queue, with a session to send to it and one to consume it.
type conn struct {
	rabbitmq.Consumer

	factory *Factory
	sink    requester.Sink

	queue  atomic.Pointer[transport.SendQueue] // nil while disconnected
	down   atomic.Pointer[error]               // why
	link   atomic.Pointer[link]                // the current or last one
	ending atomic.Bool                         // replies are dropped
}

func newConn(f *Factory, number int, sink requester.Sink) *conn {
	c := &conn{factory: f, sink: sink, Consumer: rabbitmq.Consumer{
		Number: number, Reconnector: transport.Reconnector{Pause: f.options.ReconnectWait, Event: sink.Event},
	}}
	c.disconnect(nil, errNotSetUp)
	f.Add(&c.Consumer)
	return c
}

// Traits implements [requester.Requester]: the outcome of an unsettled message is its
// acknowledgement.
func (c *conn) Traits() requester.Traits {
	return requester.Traits{Acknowledges: c.factory.options.confirm}
}

// Setup implements [requester.Requester].
func (c *conn) Setup(ctx context.Context) error {
	c.factory.Declare(&c.Consumer)
	l, err := c.factory.connect(ctx, c.Number)
	if err != nil {
		return c.factory.explain("setting up", err)
	}
	if err := l.probe(ctx, &c.factory.options); err != nil {
		l.close()
		return c.factory.explain("probing", err)
	}
	background, consuming := c.Begin(ctx)
	c.begin(background, l)
	go c.supervise(background, consuming, l)
	return nil
}

// Request implements [requester.Requester]. It never blocks: another goroutine hands the
// message to go-amqp.
func (c *conn) Request(ctx context.Context, payload []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	queue := c.queue.Load()
	if queue == nil {
		return *c.down.Load()
	}
	if err := queue.Add(payload); err != nil {
		return c.factory.explain("publishing", err)
	}
	return nil
}

// disconnect makes requests fail with that cause, and those that wait in the send queue of a
// link.
func (c *conn) disconnect(l *link, cause error) {
	err := c.factory.explain("publishing", cause)
	c.down.Store(&err)
	c.queue.Store(nil)
	if l == nil {
		return
	}
	for _, message := range l.queue.Close(err) {
		c.failed(message, err)
	}
}

// failed reports that a message failed after Request had returned.
func (c *conn) failed(message []byte, cause error) {
	if !c.ending.Load() {
		c.sink.Failed(message, c.factory.explain("publishing", cause))
	}
}

// Teardown implements [requester.Requester].
func (c *conn) Teardown(ctx context.Context) error {
	c.ending.Store(true)
	c.Stop(ctx, func() {
		if l := c.link.Load(); l != nil {
			l.Cut()
		}
	})
	return c.factory.RemoveQueue(ctx, &c.Consumer)
}
