package mqtt

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/internal/guard"
	"github.com/brokerbench/brokerbench/brokers/internal/supervise"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/eclipse/paho.golang/paho"
)

var (
	errNotSetUp = errors.New("not set up")
	errClosed   = errors.New("torn down")
)

// A conn is one connection: a topic, with a socket to publish and one that is subscribed.
type conn struct {
	supervise.Loop

	factory *Factory
	number  int
	reply   requester.Reply
	fail    func(payload []byte, cause error)
	acked   func(payload []byte)
	guard   guard.Guard

	link   atomic.Pointer[link]  // nil while disconnected
	down   atomic.Pointer[error] // why
	last   *link                 // the one that message is for; only Request uses it
	single *paho.Publish         // only Request uses it

	ending atomic.Bool // replies are dropped
	kept   atomic.Bool // a session for the audit, or tried to
	torn   atomic.Bool // it was lost once
	probed chan []byte // gets what is too short for a request

	spurned chan error // gets why such a message failed
}

// An ackConn is a connection whose messages are acknowledged.
type ackConn struct{ *conn }

var (
	_ requester.FailureNotifier = (*conn)(nil)
	_ requester.Witness         = (*conn)(nil)
	_ requester.Leaver          = (*conn)(nil)
	_ requester.SocketWriter    = (*conn)(nil)
	_ requester.Acknowledger    = ackConn{}
	_ requester.FailureNotifier = ackConn{}
	_ requester.Witness         = ackConn{}
	_ requester.Leaver          = ackConn{}
)

func newConn(f *Factory, number int, reply requester.Reply) *conn {
	c := &conn{
		factory: f, number: number, reply: reply, fail: func([]byte, error) {}, acked: func([]byte) {},
		probed: make(chan []byte, 1), spurned: make(chan error, 1), Loop: supervise.Loop{Pause: f.options.reconnectWait},
	}
	c.guard.Cut = func() {
		if l := c.link.Load(); l != nil {
			l.cut()
		}
	}
	c.disconnect(nil, errNotSetUp)
	return c
}

// NotifyFailure implements [requester.FailureNotifier]: the broker may refuse a message.
func (c *conn) NotifyFailure(fail func([]byte, error)) { c.fail = fail }

// NotifyAck implements [requester.Acknowledger].
func (c ackConn) NotifyAck(ack func([]byte)) { c.acked = ack }

// WritesToSocket implements [requester.SocketWriter]. With an acknowledgement a message may
// have to wait for the broker's window.
func (c *conn) WritesToSocket() bool { return c.factory.options.qos == 0 }

// session returns the session of a socket that publishes.
func (c *conn) session() *session {
	s := newSession()
	s.acked = func(message []byte) {
		if !c.ending.Load() {
			c.acked(message)
		}
	}
	s.failed = c.failed
	return s
}

// refused passes on that a message that is no request failed.
func (c *conn) refused(cause error) {
	select {
	case c.spurned <- cause:
	default: // nobody waits for it
	}
}

// failed reports that a message failed after Request had returned.
func (c *conn) failed(message []byte, cause error) {
	switch {
	case len(message) < requester.StampSize:
		c.refused(cause)
	case !c.ending.Load():
		c.fail(message, c.factory.explain("publishing", cause))
	}
}

// deliver takes what arrives on the topic. What is too short for a request is a probe, or the
// mark of an audit.
func (c *conn) deliver(payload []byte) {
	switch {
	case len(payload) < requester.StampSize:
		select {
		case c.probed <- payload:
		default: // nobody waits for it
		}
	case !c.ending.Load():
		c.reply(payload)
	}
}

// Setup implements [requester.Requester].
func (c *conn) Setup(ctx context.Context) error {
	c.factory.conns.Add(c)
	if c.factory.options.auditSession {
		c.kept.Store(true)
		if err := c.factory.keep(ctx, c.number); err != nil {
			c.kept.Store(!errors.Is(err, errTaken))
			return c.factory.explain("making the session for the audit", err)
		}
	}
	l, err := c.factory.join(ctx, c)
	if err != nil {
		return c.factory.explain("setting up", err)
	}
	if err := c.probe(ctx, l); err != nil {
		l.close()
		return c.factory.explain("probing", err)
	}
	background, _ := c.Begin(ctx)
	c.begin(background, l)
	go c.supervise(background, l)
	return nil
}

// Request implements [requester.Requester]. It blocks only while the socket is full.
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
	if l != c.last {
		c.last, c.single = l, l.message()
	}
	err := l.send(c.single, payload)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w while the socket was blocked: %w", ctx.Err(), err)
	}
	return c.factory.explain("publishing", err)
}

// Teardown implements [requester.Requester].
func (c *conn) Teardown(ctx context.Context) error {
	c.ending.Store(true)
	c.guard.Release()
	l := c.link.Load()
	c.Stop(ctx, func() {
		if l != nil {
			l.cut()
		}
	})
	c.factory.conns.Remove(c)
	if !c.kept.Load() {
		return nil
	}
	err := c.factory.remove(ctx, auditID(c.factory.run, c.number))
	c.kept.Store(err != nil)
	return err
}

// Left implements [requester.Leaver].
func (c *conn) Left() []string {
	if !c.kept.Load() {
		return nil
	}
	return []string{"session " + auditID(c.factory.run, c.number)}
}
