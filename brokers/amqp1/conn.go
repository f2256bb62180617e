package amqp1

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/internal/outbox"
	"github.com/brokerbench/brokerbench/brokers/internal/supervise"
	"github.com/brokerbench/brokerbench/requester"
)

var (
	errNotSetUp = errors.New("not set up")
	errClosed   = errors.New("torn down")
)

// A conn is one connection: a queue, with a session to send to it and one to consume it.
type conn struct {
	supervise.Loop
	factory *Factory
	number  int
	reply   requester.Reply
	fail    func(payload []byte, cause error)
	acked   func(payload []byte) // nil if nobody listens

	outbox atomic.Pointer[outbox.Box] // nil while disconnected
	down   atomic.Pointer[error]      // why
	link   atomic.Pointer[link]       // the current or last one

	ending   atomic.Bool // replies are dropped
	declared atomic.Bool // a queue, or tried to
}

// An ackConn is a connection whose messages are sent unsettled, so that each has an outcome.
type ackConn struct{ *conn }

var (
	_ requester.FailureNotifier = (*conn)(nil)
	_ requester.Witness         = (*conn)(nil)
	_ requester.Leaver          = (*conn)(nil)
	_ requester.Acknowledger    = ackConn{}
	_ requester.FailureNotifier = ackConn{}
	_ requester.Witness         = ackConn{}
	_ requester.Leaver          = ackConn{}
)

func newConn(f *Factory, number int, reply requester.Reply) *conn {
	c := &conn{factory: f, number: number, reply: reply, fail: func([]byte, error) {}, Loop: supervise.Loop{Pause: f.options.reconnectWait}}
	c.disconnect(nil, errNotSetUp)
	return c
}

// NotifyFailure implements [requester.FailureNotifier]: the broker may reject a message or
// find no queue for it, and it may be too large.
func (c *conn) NotifyFailure(fail func([]byte, error)) { c.fail = fail }

// NotifyAck implements [requester.Acknowledger]: that a message is accepted is its
// acknowledgement.
func (c ackConn) NotifyAck(ack func([]byte)) { c.acked = ack }

// Setup implements [requester.Requester].
func (c *conn) Setup(ctx context.Context) error {
	c.declared.Store(true)
	c.factory.conns.Add(c)
	l, err := c.factory.connect(ctx, c.number)
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
	o := c.outbox.Load()
	if o == nil {
		return *c.down.Load()
	}
	if err := o.Add(payload); err != nil {
		return c.factory.explain("publishing", err)
	}
	return nil
}

// disconnect makes requests fail with that cause, and those that wait in the outbox of a
// link.
func (c *conn) disconnect(l *link, cause error) {
	err := c.factory.explain("publishing", cause)
	c.down.Store(&err)
	c.outbox.Store(nil)
	if l == nil {
		return
	}
	for _, message := range l.outbox.Close(err) {
		c.failed(message, err)
	}
}

// Teardown implements [requester.Requester].
func (c *conn) Teardown(ctx context.Context) error {
	c.ending.Store(true)
	c.Stop(ctx, func() {
		if l := c.link.Load(); l != nil {
			l.cut()
		}
	})
	c.factory.conns.Remove(c)
	var err error
	if len(c.Left()) > 0 {
		err = c.factory.queues.RemoveQueue(ctx, c.number)
		c.declared.Store(err != nil)
	}
	return err
}

// Left implements [requester.Leaver].
func (c *conn) Left() []string {
	if !c.declared.Load() || !c.factory.options.queue.Durable {
		return nil
	}
	return []string{"queue " + c.factory.queue(c.number)}
}
