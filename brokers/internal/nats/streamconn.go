package nats

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A streamConn is a connection that publishes to a stream, which acknowledges, and
// consumes from it.
type streamConn struct {
	*conn
	js       jetstream.JetStream
	consumer jetstream.ConsumeContext // nil until Setup has made it
	using    bool                     // the stream
}

// Traits implements [requester.Requester]: a message that is published for an acknowledgement
// goes through more than the buffer of the connection.
func (c *streamConn) Traits() requester.Traits { return requester.Traits{Acknowledges: true} }

// Setup implements [requester.Requester]: it connects, makes the stream or finds it made,
// consumes, and sends itself a probe.
func (c *streamConn) Setup(ctx context.Context) error {
	defer context.AfterFunc(ctx, c.wire.close)()
	client, err := c.factory.connect(ctx, c.wire, c.events.options()...)
	if err != nil {
		return err
	}
	c.client = client
	if err := c.prepare(ctx, streamName(c.factory.Run)); err != nil {
		return err
	}
	c.events.Begin()
	return nil
}

// prepare makes stream and consumer ready. A refusal of the server, which nats.go reports
// only to its error handler, ends it at once.
func (c *streamConn) prepare(ctx context.Context, name string) (err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case err := <-c.events.refused:
			cancel(err)
		case <-ctx.Done():
		}
	}()
	if c.js, err = jetStream(ctx, c.client, c.publishing()...); err != nil {
		return c.factory.Explain("asking for JetStream", target.Because(ctx, err))
	}
	c.using = true
	if err := c.factory.stream.use(ctx, c.js); err != nil {
		return c.factory.Explain("creating stream "+name, target.Because(ctx, err))
	}
	if err := ask(ctx, func(ctx context.Context) error { return c.consume(ctx, name) }); err != nil {
		return c.factory.Explain("consuming from stream "+name, target.Because(ctx, err))
	}
	return c.factory.Explain("probing stream "+name, target.Because(ctx, c.probe(ctx)))
}

// publishing returns how messages are published: without waiting for one another.
func (c *streamConn) publishing() []jetstream.JetStreamOpt {
	o := &c.factory.options
	pending := o.maxPending
	if pending == 0 {
		pending = math.MaxInt32
	}
	return []jetstream.JetStreamOpt{
		jetstream.WithPublishAsyncMaxPending(pending),
		jetstream.WithPublishAsyncAckHandler(func(_ jetstream.JetStream, m *nats.Msg, _ *jetstream.PubAck) { c.acknowledge(m.Data) }),
		jetstream.WithPublishAsyncErrHandler(func(_ jetstream.JetStream, m *nats.Msg, err error) { c.refuse(m.Data, err) }),
	}
}

func (c *streamConn) acknowledge(payload []byte) {
	if !c.closing.Load() {
		c.sink.Acked(payload)
	}
}

func (c *streamConn) refuse(payload []byte, err error) {
	if errors.Is(err, nats.ErrDisconnected) {
		return // it may have arrived: it comes back, or it is lost
	}
	if !c.closing.Load() {
		c.sink.Failed(payload, c.factory.Explain("publishing a message", err))
	}
}

// Request implements [requester.Requester]. nats.go keeps the message until it is
// acknowledged, so that it gets a copy.
func (c *streamConn) Request(ctx context.Context, payload []byte) error {
	if c.js == nil {
		return errNotSetUp
	}
	return c.send(ctx, len(payload), func() error {
		_, err := c.js.PublishMsgAsync(&nats.Msg{Subject: c.subject, Data: bytes.Clone(payload)})
		return err
	})
}

// consumerKept is how long the server keeps a consumer whose connection is away. Its
// default of 5 s would end it in an outage that the client survives.
const consumerKept = 5 * time.Minute

// consume begins to consume what is published to the connection's subject from now on. A
// consumer that the server reported too late ends with the stream.
func (c *streamConn) consume(ctx context.Context, name string) (err error) {
	config := jetstream.ConsumerConfig{
		DeliverPolicy: jetstream.DeliverNewPolicy, AckPolicy: jetstream.AckExplicitPolicy, FilterSubject: c.subject,
		InactiveThreshold: consumerKept, MaxAckPending: -1, Replicas: c.factory.options.replicas, MemoryStorage: c.factory.options.stream == streamMemory,
	}
	switch c.factory.options.consumer {
	case consumerPull:
		consumer, err := c.js.CreateConsumer(ctx, name, config)
		if err != nil {
			return err
		}
		c.consumer, err = consumer.Consume(c.handler(true), c.troubles())
		return err
	case consumerPush:
		config.DeliverSubject = c.client.NewInbox()
		consumer, err := c.js.CreatePushConsumer(ctx, name, config)
		if err != nil {
			return err
		}
		c.consumer, err = consumer.Consume(c.handler(true), c.troubles())
		return err
	}
	consumer, err := c.js.OrderedConsumer(ctx, name, jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverNewPolicy, FilterSubjects: []string{c.subject},
	})
	if err != nil {
		return err
	}
	c.consumer, err = consumer.Consume(c.handler(false), c.troubles())
	return err
}

// troubles notes what goes wrong with the consumer: it may end without the connection.
func (c *streamConn) troubles() jetstream.ConsumeErrHandler {
	return func(_ jetstream.ConsumeContext, err error) {
		if !c.closing.Load() {
			c.events.Note("consumer: %v", err)
		}
	}
}

// handler returns what takes a message: the engine first, and then, if the consumer is one
// that acknowledges, the server is told.
func (c *streamConn) handler(acknowledges bool) jetstream.MessageHandler {
	return func(m jetstream.Msg) {
		c.take(m.Data())
		if acknowledges {
			_ = m.Ack() // a message that is not acknowledged comes again: a duplicate, which is counted
		}
	}
}

// Teardown implements [requester.Requester]: it ends the consumer, removes the stream if no
// other connection uses it, and closes the connection.
func (c *streamConn) Teardown(ctx context.Context) error {
	c.closing.Store(true)
	c.events.End()
	if c.consumer != nil {
		c.consumer.Stop()
	}
	var err error
	if c.using { // before any wait: a leftover is worse than a late reply
		c.using = false
		err = c.removeStream(ctx)
	}
	c.wire.close()
	if c.client != nil {
		c.client.Close()
	}
	if c.consumer != nil {
		select {
		case <-c.consumer.Closed():
		case <-ctx.Done():
			err = cmp.Or(err, ctx.Err())
		}
	}
	return c.factory.Explain("tearing down stream "+streamName(c.factory.Run), err)
}

// removeStream removes the stream if the connection is the last that uses it.
func (c *streamConn) removeStream(ctx context.Context) error {
	err := c.factory.stream.leave(ctx)
	c.factory.left.Store(err != nil)
	return err
}
