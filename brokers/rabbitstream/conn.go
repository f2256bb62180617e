package rabbitstream

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/internal/guard"
	"github.com/brokerbench/brokerbench/brokers/internal/supervise"
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
	supervise.Loop
	factory *Factory
	number  int
	reply   requester.Reply
	acked   func(payload []byte)
	failed  func(payload []byte, cause error)

	link  atomic.Pointer[link]  // nil while disconnected
	down  atomic.Pointer[error] // why
	cutOf atomic.Pointer[link]  // the current or last link
	guard guard.Guard

	taking  sync.Mutex // while a message is passed on
	next    int64      // offset behind the last message; under taking
	credits credits
	ending  atomic.Bool // replies are dropped
	probed  chan struct{}

	declared atomic.Bool // a stream, or tried to
}

var (
	_ requester.Witness         = (*conn)(nil)
	_ requester.Acknowledger    = (*conn)(nil)
	_ requester.FailureNotifier = (*conn)(nil)
	_ requester.Leaver          = (*conn)(nil)
)

func newConn(f *Factory, number int, reply requester.Reply) *conn {
	c := &conn{
		factory: f, number: number, reply: reply, acked: func([]byte) {}, failed: func([]byte, error) {},
		probed: make(chan struct{}), Loop: supervise.Loop{Pause: f.options.reconnectWait},
	}
	c.credits.quarter = int16(f.options.credits / 4)
	c.guard.Cut = func() {
		if l := c.cutOf.Load(); l != nil {
			l.cut()
		}
	}
	c.disconnect(errNotSetUp)
	return c
}

// NotifyAck implements [requester.Acknowledger]: a confirm is an acknowledgement.
func (c *conn) NotifyAck(ack func([]byte)) { c.acked = ack }

// NotifyFailure implements [requester.FailureNotifier].
func (c *conn) NotifyFailure(fail func([]byte, error)) { c.failed = fail }

// Setup implements [requester.Requester]: it makes the stream, publishes and consumes, and
// sends itself a probe.
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
	c.guard.Enter(ctx)
	defer c.guard.Leave()
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

// send publishes a message. The client keeps it until it is confirmed, so that it gets a copy.
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

// take passes on a message that was delivered.
func (c *conn) take(from stream.ConsumerContext, m *amqp.Message) {
	c.taking.Lock()
	defer c.taking.Unlock()
	if c.ending.Load() {
		return
	}
	switch payload := m.GetData(); {
	case len(payload) >= requester.StampSize:
		c.reply(payload)
	case c.next == 0 && bytes.Equal(payload, probe):
		close(c.probed)
	}
	c.next = from.Consumer.GetOffset() + 1
	if !c.factory.options.creditEach {
		c.credits.grant(from)
	}
}

// Teardown implements [requester.Requester]: it ends the link, and a Request that hangs on
// it, and removes the stream over a connection of its own.
func (c *conn) Teardown(ctx context.Context) error {
	c.ending.Store(true)
	c.guard.Release()
	c.Stop(ctx, c.guard.Cut)
	c.taking.Lock() // the last reply has returned
	defer c.taking.Unlock()
	if !c.declared.Load() {
		return nil
	}
	return c.remove(ctx)
}
