package rabbitmq

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/internal/guard"
	"github.com/brokerbench/brokerbench/brokers/internal/supervise"
	"github.com/brokerbench/brokerbench/requester"
)

var (
	errNotSetUp = errors.New("not set up")
	errClosed   = errors.New("torn down")
)

// A conn is one connection: a queue, with a channel to publish and one to consume.
type conn struct {
	supervise.Loop
	factory *Factory
	number  int
	reply   requester.Reply
	fail    func(payload []byte, cause error)
	acked   func(payload []byte) // nil if nobody listens

	publisher atomic.Pointer[publisher] // nil while disconnected
	down      atomic.Pointer[error]     // why
	tooLarge  atomic.Pointer[sizeError] // nil until the broker has refused a message
	link      atomic.Pointer[link]      // the current or last one
	guard     guard.Guard

	ending   atomic.Bool // replies are dropped
	declared atomic.Bool // a queue, or tried to
}

var (
	_ requester.FailureNotifier = (*conn)(nil)
	_ requester.Witness         = (*conn)(nil)
	_ requester.SocketWriter    = (*conn)(nil)
	_ requester.Leaver          = (*conn)(nil)
)

func newConn(f *Factory, number int, reply requester.Reply) *conn {
	c := &conn{factory: f, number: number, reply: reply, fail: func([]byte, error) {}, Loop: supervise.Loop{Pause: f.options.reconnectWait}}
	c.guard.Cut = func() {
		if l := c.link.Load(); l != nil {
			l.cut()
		}
	}
	c.disconnect(errNotSetUp)
	return c
}

// NotifyFailure implements [requester.FailureNotifier]: the broker may return a
// message, not confirm it, or find it too large.
func (c *conn) NotifyFailure(fail func([]byte, error)) { c.fail = fail }

// Setup implements [requester.Requester].
func (c *conn) Setup(ctx context.Context) error {
	c.declared.Store(true)
	c.factory.conns.Add(c)
	if c.factory.options.auditQueue {
		c.factory.made.Add(auditQueue(c.factory.queue(c.number)))
	}
	l, err := c.factory.connect(ctx, c.number)
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

// WritesToSocket implements [requester.SocketWriter]: see publisher.write.
func (c *conn) WritesToSocket() bool { return true }

// Request implements [requester.Requester]: it writes to the socket, which
// blocks when the broker does not read.
func (c *conn) Request(ctx context.Context, payload []byte) error {
	c.guard.Enter(ctx)
	defer c.guard.Leave()
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

// Teardown implements [requester.Requester]. It gives the broker a moment to close
// the connection properly, and cuts off a Request that hangs.
func (c *conn) Teardown(ctx context.Context) error {
	c.ending.Store(true)
	c.guard.Release()
	c.Stop(ctx, c.guard.Cut)
	c.factory.conns.Remove(c)
	var err error
	if len(c.Left()) > 0 {
		err = c.factory.RemoveQueue(ctx, c.number)
		c.declared.Store(err != nil)
	}
	return err
}

// Left implements [requester.Leaver].
func (c *conn) Left() []string {
	if !c.declared.Load() || !c.factory.options.leaves() {
		return nil
	}
	queue := c.factory.queue(c.number)
	left := []string{"queue " + queue}
	if c.factory.options.auditQueue {
		left = append(left, "queue "+auditQueue(queue))
	}
	return left
}
