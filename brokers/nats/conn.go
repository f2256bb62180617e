package nats

import (
	"context"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/internal/outage"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats.go"
)

// A conn is one connection: a client and a subject of its own, or two of them with an echo.
type conn struct {
	requester.EventLog

	factory *Factory
	subject string // what it subscribes to
	sendsTo string
	reply   requester.Reply
	wire    *wire
	events  handlers

	client  *nats.Conn    // nil until Setup has made it
	probed  chan struct{} // gets a token when a probe is back
	ended   chan struct{} // closed when no reply can come any more; nil before Setup has subscribed
	closing atomic.Bool
}

var (
	_ requester.Witness      = (*conn)(nil)
	_ requester.SocketWriter = (*conn)(nil)
)

func newConn(f *Factory, number int, reply requester.Reply) *conn {
	c := &conn{factory: f, subject: f.sides.From(f.subject(number)), sendsTo: f.sides.To(f.subject(number)), reply: reply, wire: newWire(f), probed: make(chan struct{}, 1)}
	c.events = handlers{Log: outage.New(&c.EventLog), wire: c.wire, refused: make(chan error, 1)}
	return c
}

// WritesToSocket implements [requester.SocketWriter]: with a larger buffer the flusher writes,
// and nobody is told when.
func (c *conn) WritesToSocket() bool { return c.factory.options.writeBuffer == 1 }

// Request implements [requester.Requester]. nats.go copies payload into its
// buffer, which its flusher writes to the socket, or with write-buffer=1 Publish
// itself.
func (c *conn) Request(ctx context.Context, payload []byte) error {
	if c.client == nil {
		return errNotSetUp
	}
	if err := c.wire.obey(ctx); err != nil {
		return err
	}
	if !c.wire.up.Load() && c.factory.options.reconnectBuffer < 0 {
		return c.factory.explain("sending a message", nats.ErrDisconnected)
	}
	if err := c.client.Publish(c.sendsTo, payload); err != nil {
		return c.publishError(ctx, len(payload), err)
	}
	return nil
}

// receive takes what arrives on the subject. A message that is too short for a
// request is a probe.
func (c *conn) receive(m *nats.Msg) { c.take(m.Data) }

func (c *conn) take(payload []byte) {
	switch {
	case c.closing.Load():
	case len(payload) >= requester.StampSize:
		c.reply(payload)
	default:
		select {
		case c.probed <- struct{}{}:
		default: // one is enough
		}
	}
}
