package rabbitmq

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/requester"
)

var (
	errNotSetUp = errors.New("not set up")
	errClosed   = errors.New("torn down")
)

// A conn is one connection: a queue, with a channel to publish and one to consume.
type conn struct {
	Consumer

	factory *Factory
	sink    requester.Sink

	publisher atomic.Pointer[publisher] // nil while disconnected
	down      atomic.Pointer[error]     // why
	tooLarge  atomic.Pointer[sizeError] // nil until the broker has refused a message
	link      atomic.Pointer[link]      // the current or last one
	canceler  transport.WriteCanceler
	ending    atomic.Bool // replies are dropped
}

// A sizeError is the error for messages beyond a limit, once the broker has refused
// one. Request refuses them itself, because each would cost the channel and the
// messages behind it.
type sizeError struct {
	limit int
	err   error
}

func newConn(f *Factory, number int, sink requester.Sink) *conn {
	c := &conn{factory: f, sink: sink, Consumer: Consumer{
		Number: number, Reconnector: transport.Reconnector{Pause: f.options.ReconnectWait, Event: sink.Event},
	}}
	c.canceler.Cut = func() {
		if l := c.link.Load(); l != nil {
			l.cut()
		}
	}
	c.disconnect(errNotSetUp)
	f.Add(&c.Consumer)
	return c
}

// Setup implements [requester.Requester].
func (c *conn) Setup(ctx context.Context) error {
	c.factory.Declare(&c.Consumer)
	l, err := c.factory.connect(ctx, c.Number)
	if err != nil {
		return c.factory.explain("setting up", err)
	}
	if err := l.during(ctx, func() error { return l.probe(ctx, c.factory) }); err != nil {
		err = l.whyBlocked(err)
		l.close()
		return c.factory.explain("probing", err)
	}
	background, consuming := c.Begin(ctx)
	c.begin(l)
	go c.supervise(background, consuming, l)
	return nil
}

// Traits implements [requester.Requester]: a publisher confirm is an acknowledgement. For
// WritesToSocket see publisher.write.
func (c *conn) Traits() requester.Traits {
	return requester.Traits{Acknowledges: c.factory.options.confirm, WritesToSocket: true}
}

// Request implements [requester.Requester]: it writes to the socket, which
// blocks when the broker does not read.
func (c *conn) Request(ctx context.Context, payload []byte) error {
	c.canceler.Enter(ctx)
	defer c.canceler.Leave()
	if err := ctx.Err(); err != nil {
		return err
	}
	if refused := c.tooLarge.Load(); refused != nil && len(payload) > refused.limit {
		return refused.err
	}
	p := c.publisher.Load()
	if p == nil {
		return *c.down.Load()
	}
	if err := p.send(payload); err != nil {
		return c.notSent(ctx, err)
	}
	return nil
}

// notSent explains why a message was not written.
func (c *conn) notSent(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("rabbitmq: blocked by the broker: %w", ctx.Err())
	}
	return c.factory.explain("publishing", plain(err))
}

// disconnect makes requests fail with that cause.
func (c *conn) disconnect(cause error) {
	err := c.factory.explain("publishing", cause)
	c.down.Store(&err)
	c.publisher.Store(nil)
}

// failed reports that a message failed after Request had returned.
func (c *conn) failed(message []byte, cause error) {
	if !c.ending.Load() {
		c.sink.Failed(message, c.factory.explain("publishing", cause))
	}
}

// Teardown implements [requester.Requester]. It gives the broker a moment to close
// the connection properly, and cuts off a Request that hangs.
func (c *conn) Teardown(ctx context.Context) error {
	c.ending.Store(true)
	c.canceler.Release()
	c.Stop(ctx, c.canceler.Cut)
	return c.factory.RemoveQueue(ctx, &c.Consumer)
}
