package nats

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats.go/jetstream"
)

// TakeTopology implements [requester.Grouper]. A topic is a subject. A group is a queue group, or a
// durable pull consumer of the stream.
func (f *Factory) TakeTopology(t requester.Topology) error {
	if f.options.stores() && f.options.consumer != consumerPull {
		return &requester.TopologyError{Topology: t, Reason: "the members of a group share a durable pull consumer: add the option consumer=pull"}
	}
	f.topology = t
	return nil
}

// Keeps implements [requester.Keeper]: a stream keeps everything, and its durable consumer where the group is.
func (f *Factory) Keeps() error {
	if !f.options.stores() {
		return errors.New("core NATS keeps none: add the options stream=file and consumer=pull")
	}
	return f.options.retention.Keeps()
}

// NewConsumer implements [requester.Grouper].
func (f *Factory) NewConsumer(m requester.Member, sink requester.Sink) (requester.Consumer, error) {
	c := f.newConn(sink)
	c.group, c.member = fmt.Sprintf("g%d", m.Group), m.Number
	if f.keys.None() {
		return c, nil
	}
	return requester.Settled(c), nil
}

// newConn returns a connection without a subject.
func (f *Factory) newConn(sink requester.Sink) *conn {
	c := &conn{Outcomes: transport.NewOutcomes(sink, f.Explain), factory: f, wire: newWire(f, f.Target)}
	c.events = handlers{ConnLog: transport.NewConnLog(sink.Event), wire: c.wire, refused: make(chan error, 1)}
	return c
}

// subscribeToTopics subscribes as a member of a queue group to the subjects of all topics, and waits until
// the server has the subscriptions.
func (c *conn) subscribeToTopics(ctx context.Context) (doing string, err error) {
	var open sync.WaitGroup
	for _, subject := range c.topics() {
		subscription, err := c.client.QueueSubscribe(subject, c.group, c.received)
		if err != nil {
			return "subscribing to " + subject, err
		}
		open.Add(1)
		subscription.SetClosedHandler(func(string) { open.Done() })
		if err := subscription.SetPendingLimits(-1, -1); err != nil {
			return "subscribing to " + subject, err
		}
	}
	ended := make(chan struct{})
	c.ended = ended
	go func() {
		open.Wait()
		close(ended)
	}()
	return "subscribing to all topics", c.client.FlushWithContext(ctx)
}

// shareConsumer begins to consume all topics of the stream through the durable consumer of the group, which the
// first member makes. With keys each topic has one: the server reads a consumer with several subjects slowly, a
// twentieth as fast in a backlog.
func (c *conn) shareConsumer(ctx context.Context, stream string, troubles jetstream.PullConsumeOpt) (jetstream.ConsumeContext, error) {
	if c.factory.keys.None() {
		return c.shareDurable(ctx, stream, c.group, "", troubles)
	}
	var all consumers
	for _, topic := range c.factory.topology.Share(c.member) {
		one, err := c.shareDurable(ctx, stream, fmt.Sprintf("%st%d", c.group, topic), c.factory.keyed(topic), troubles)
		if err != nil {
			all.Stop()
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// shareDurable begins to consume through a durable consumer of the stream, all of it or what goes to a subject.
func (c *conn) shareDurable(ctx context.Context, stream, durable, subject string, troubles jetstream.PullConsumeOpt) (jetstream.ConsumeContext, error) {
	o := &c.factory.options
	consumer, err := c.js.CreateOrUpdateConsumer(ctx, stream, jetstream.ConsumerConfig{
		Durable: durable, FilterSubject: subject, DeliverPolicy: jetstream.DeliverNewPolicy, AckPolicy: jetstream.AckExplicitPolicy,
		InactiveThreshold: consumerKept, MaxAckPending: -1, Replicas: o.replicas, MemoryStorage: o.stream == streamMemory,
	})
	if err != nil {
		return nil, err
	}
	return consumer.Consume(c.deliverAndAck, troubles)
}

// deliverAndAck passes on a message and acknowledges it, unless the connection is torn down or killed.
func (c *conn) deliverAndAck(m jetstream.Msg) {
	if !c.deliver(m.Subject(), m.Headers(), m.Data()) {
		return
	}
	_ = m.Ack() // a message that is not acknowledged comes again: a duplicate, which is counted
}

// Depart implements [requester.Mortal]: it drains the subscriptions.
func (c *conn) Depart(ctx context.Context) error {
	c.events.End()
	err := error(nil)
	if c.consumer != nil {
		c.consumer.Drain()
	} else {
		err = c.client.Drain()
	}
	if err == nil {
		select {
		case <-c.ended:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if err == nil && c.consumer != nil {
		err = c.client.FlushWithContext(ctx) // the acknowledgements
	}
	return c.factory.Explain("draining "+c.group, err)
}

// Kill implements [requester.Mortal].
func (c *conn) Kill() {
	c.Mute()
	c.events.End()
	c.wire.close()
}
