package nats

import (
	"context"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats.go"
)

// A conn is one connection: a client with one subject, or with an echo two.
type conn struct {
	factory *Factory
	subject string // of its subscription
	sendsTo string
	sink    requester.Sink
	wire    *wire
	events  handlers

	client  *nats.Conn    // nil until Setup has made it
	probed  chan struct{} // gets a token when a probe is back
	ended   chan struct{} // closed when no further reply can come; nil before Setup has subscribed
	closing atomic.Bool
}

func newConn(f *Factory, number int, sink requester.Sink) *conn {
	c := &conn{factory: f, subject: f.sides.From(f.subject(number)), sendsTo: f.sides.To(f.subject(number)), sink: sink, wire: newWire(f), probed: make(chan struct{}, 1)}
	c.events = handlers{ConnLog: transport.NewConnLog(c.sink.Event), wire: c.wire, refused: make(chan error, 1)}
	return c
}

// Traits implements [requester.Requester]: with a larger buffer nats.go's flusher writes, and
// does not tell when.
func (c *conn) Traits() requester.Traits {
	return requester.Traits{WritesToSocket: c.factory.options.writeBuffer == 1}
}

// Request implements [requester.Requester]. nats.go copies payload into its
// buffer, which its flusher writes to the socket, or with write-buffer=1 Publish
// itself.
func (c *conn) Request(ctx context.Context, payload []byte) error {
	if c.client == nil {
		return errNotSetUp
	}
	return c.send(ctx, len(payload), func() error { return c.client.Publish(c.sendsTo, payload) })
}

// send publishes a message of size bytes, and ends that with ctx.
func (c *conn) send(ctx context.Context, size int, publish func() error) error {
	c.wire.canceler.Enter(ctx)
	defer c.wire.canceler.Leave()
	if err := ctx.Err(); err != nil {
		return err
	}
	if !c.wire.up.Load() && c.factory.options.reconnectBuffer < 0 {
		return c.factory.Explain("sending a message", nats.ErrDisconnected)
	}
	if err := publish(); err != nil {
		return c.publishError(ctx, size, err)
	}
	return nil
}

// receive takes a message of the subject. One that is too short for a
// request is a probe.
func (c *conn) receive(m *nats.Msg) { c.take(m.Data) }

func (c *conn) take(payload []byte) {
	switch {
	case c.closing.Load():
	case len(payload) >= requester.StampSize:
		c.sink.Reply(payload)
	default:
		select {
		case c.probed <- struct{}{}:
		default: // one is enough
		}
	}
}
