package rabbitstream

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/amqp"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/message"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

var (
	errNotSetUp = errors.New("not set up")
	errClosed   = errors.New("torn down")
	probe       = []byte("probe") // shorter than a request
)

// A conn is one connection: a stream, with a producer and a consumer.
type conn struct {
	transport.Reconnector
	factory *Factory
	number  int
	sink    requester.Sink

	link     atomic.Pointer[link]  // nil while disconnected
	down     atomic.Pointer[error] // why
	latest   atomic.Pointer[link]  // the current or last one
	canceler transport.WriteCanceler

	taking  sync.Mutex // held while a message is passed on
	next    int64      // offset after the last message; under taking
	credits credits
	ending  atomic.Bool // replies are dropped
	probed  chan struct{}

	declared atomic.Bool // a stream, or tried to
}

func newConn(f *Factory, number int, sink requester.Sink) *conn {
	c := &conn{
		factory: f, number: number, sink: sink,
		probed: make(chan struct{}), Reconnector: transport.Reconnector{Pause: f.options.ReconnectWait, Event: sink.Event},
	}
	c.credits.quarter = int16(f.options.credits / 4)
	c.canceler.Cut = func() {
		if l := c.latest.Load(); l != nil {
			l.cut()
		}
	}
	c.disconnect(errNotSetUp)
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
	l, err := c.factory.connect(ctx, c.number, stream.OffsetSpecification{}.First(), c.take)
	if err != nil {
		return c.factory.explain("using stream "+name, target.Because(ctx, err))
	}
	background, _ := c.Begin(ctx)
	c.begin(l)
	go c.supervise(background, l)
	if err := l.send(&c.factory.options, probe); err != nil {
		return c.factory.explain("probing stream "+name, err)
	}
	select {
	case <-c.probed:
		return nil
	case <-ctx.Done():
		return c.factory.explain("probing stream "+name, target.Because(ctx, ctx.Err()))
	}
}

// Request implements [requester.Requester]. With batch-size=1 it writes to the socket, which
// blocks when the broker does not read.
func (c *conn) Request(ctx context.Context, payload []byte) error {
	c.canceler.Enter(ctx)
	defer c.canceler.Leave()
	if err := ctx.Err(); err != nil {
		return err
	}
	l := c.link.Load()
	if l == nil {
		return *c.down.Load()
	}
	if err := l.send(&c.factory.options, payload); err != nil {
		return c.factory.explain("publishing", target.Because(ctx, err))
	}
	return nil
}

// send publishes a copy of a message: the client keeps it until it is confirmed.
func (l *link) send(o *options, payload []byte) error {
	m := amqp.NewMessage(bytes.Clone(payload))
	if o.batchSize > 1 {
		return l.producer.Send(m)
	}
	return l.producer.BatchSend([]message.StreamMessage{m})
}

// disconnect makes requests fail with that cause.
func (c *conn) disconnect(cause error) {
	err := c.factory.explain("publishing", cause)
	c.down.Store(&err)
	c.link.Store(nil)
}

// take passes on a delivery.
func (c *conn) take(from stream.ConsumerContext, m *amqp.Message) {
	c.taking.Lock()
	defer c.taking.Unlock()
	if c.ending.Load() {
		return
	}
	switch payload := m.GetData(); {
	case len(payload) >= requester.StampSize:
		c.sink.Reply(payload)
	case c.next == 0 && bytes.Equal(payload, probe):
		close(c.probed)
	}
	c.next = from.Consumer.GetOffset() + 1
	if !c.factory.options.creditEach {
		c.credits.grant(from)
	}
}

// Teardown implements [requester.Requester]: it ends the link, and a Request that hangs on
// it, and removes the stream over a new connection.
func (c *conn) Teardown(ctx context.Context) error {
	c.ending.Store(true)
	c.canceler.Release()
	c.Stop(ctx, c.canceler.Cut)
	c.taking.Lock() // the last reply has returned
	defer c.taking.Unlock()
	if !c.declared.Load() {
		return nil
	}
	return c.remove(ctx)
}
