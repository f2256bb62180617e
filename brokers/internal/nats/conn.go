package nats

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// probeRetry is how long Setup waits for its probe before it sends another.
const probeRetry = time.Second

var (
	errNotSetUp = errors.New("nats: the connection is not set up")
	probe       = []byte("probe") // shorter than a request
)

// A conn is one connection: a client with one subject, or with an echo two.
type conn struct {
	*transport.Outcomes
	leftover.Uses // the stream

	factory *Factory
	subject string // from which it receives
	sendsTo string // of messages without a key

	produces bool   // it receives nothing: there are groups of consumers
	group    string // of which it is a member; "" if it is none
	member   int    // its number there

	wire   *wire
	events handlers

	client   *nats.Conn               // nil until Setup has made it
	js       jetstream.JetStream      // nil without a stream
	consumer jetstream.ConsumeContext // of the stream; nil until Setup has made it
	ended    <-chan struct{}          // closed when no further reply can come; nil before Setup has subscribed
}

// New implements [requester.Factory].
func (f *Factory) New(number int, sink requester.Sink) (requester.Requester, error) {
	c := f.newConn(sink)
	if !f.topology.Own() {
		c.subject, c.produces = target.Name(f.Run, f.topology.Topic(number)), true
		if c.sendsTo = c.subject; !f.keys.None() {
			c.sendsTo += "." + noKey
		}
		return c, nil
	}
	name := target.Name(f.Run, number)
	c.subject, c.sendsTo = f.From(name), f.To(name)
	return c, nil
}

// Traits implements [requester.Requester]. With a larger buffer nats.go's flusher writes, and
// does not tell when; a message that is published for an acknowledgement goes through more than the buffer.
func (c *conn) Traits() requester.Traits {
	stores := c.factory.options.stores()
	return requester.Traits{Acknowledges: stores, WritesToSocket: !stores && c.factory.options.writeBuffer == 1}
}

// Setup implements [requester.Requester]: it connects, makes the stream or finds it made, subscribes,
// and sends itself a probe.
func (c *conn) Setup(ctx context.Context) (err error) {
	defer context.AfterFunc(ctx, c.wire.close)()
	if c.client, err = c.factory.connect(ctx, c.wire, c.events.options()...); err != nil {
		return err
	}
	if err := c.prepare(ctx); err != nil {
		return err
	}
	c.events.Begin()
	return nil
}

// prepare makes everything ready on a connection. A refusal of the server, which nats.go reports
// only to its error handler, ends it at once.
func (c *conn) prepare(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case err := <-c.events.refused:
			cancel(err)
		case <-ctx.Done():
		}
	}()
	doing, err := c.receive(ctx)
	switch {
	case err != nil || c.group != "": // the engine probes groups
	case c.produces:
		doing, err = "connecting", c.client.FlushWithContext(ctx)
	default:
		doing, err = "probing "+c.subject, c.probe(ctx)
	}
	return c.factory.Explain(doing, target.Because(ctx, err))
}

// receive begins to receive, from the subject or from a stream, and says what it was doing.
func (c *conn) receive(ctx context.Context) (doing string, err error) {
	switch {
	case c.factory.options.stores():
		return c.useStream(ctx)
	case c.group != "":
		return c.subscribeToTopics(ctx)
	case c.produces:
		return "", nil
	}
	return "subscribing to " + c.subject, c.subscribe()
}

// subscribe subscribes to the subject, without the limit beyond which nats.go drops
// messages.
func (c *conn) subscribe() error {
	subscription, err := c.client.Subscribe(c.subject, c.received)
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	c.ended = ended
	subscription.SetClosedHandler(func(string) { close(ended) })
	return subscription.SetPendingLimits(-1, -1)
}

// probe publishes until one message is back.
func (c *conn) probe(ctx context.Context) error {
	return transport.Repeat(ctx, probeRetry, c.Probed, func() error { return c.client.Publish(c.subject, probe) })
}

// Request implements [requester.Requester]. nats.go copies payload into its
// buffer, which its flusher writes to the socket, or with write-buffer=1 Publish
// itself. A message to a stream it keeps until that is acknowledged, so that it gets a copy.
func (c *conn) Request(ctx context.Context, payload []byte) error {
	if c.client == nil {
		return errNotSetUp
	}
	c.wire.canceler.Enter(ctx)
	defer c.wire.canceler.Leave()
	if err := ctx.Err(); err != nil {
		return err
	}
	if !c.wire.up.Load() && c.factory.options.reconnectBuffer < 0 {
		return c.factory.Explain("sending a message", nats.ErrDisconnected)
	}
	var err error
	switch {
	case c.js != nil:
		_, err = c.js.PublishMsgAsync(c.message(bytes.Clone(payload)))
	case c.factory.headers.None():
		err = c.client.Publish(c.to(payload), payload)
	default:
		err = c.client.PublishMsg(c.message(payload))
	}
	if err != nil {
		return c.publishError(ctx, len(payload), err)
	}
	return nil
}

// Teardown implements [requester.Requester]: it removes the stream if no other connection uses it, and
// closes the connection, which also ends the subscription. It waits for the last reply.
func (c *conn) Teardown(ctx context.Context) (err error) {
	c.Mute()
	c.events.End()
	if c.consumer != nil {
		c.consumer.Stop()
	}
	err = c.Leave(ctx) // before any wait: a leftover is worse than a late reply
	c.wire.close()
	if c.client != nil {
		c.client.Close()
	}
	if c.ended != nil {
		select {
		case <-c.ended:
		case <-ctx.Done():
			err = cmp.Or(err, ctx.Err())
		}
	}
	return c.factory.Explain("tearing down "+c.subject, err)
}
