package nats

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// streamLimit bounds what is done with a stream besides messages: to create it with
// replicas on a cluster takes a leader. A request that reaches a cluster while its leader
// changes is never answered, so that after askAgain it is sent again.
const (
	streamLimit = 10 * time.Second
	askAgain    = 2 * time.Second
)

// consumerKept is how long the server keeps a consumer whose connection is away. Its
// default of 5 s would end it in an outage that the client survives, and while its members are away from
// a backlog.
const consumerKept = time.Hour

// streamName returns the name of a run's stream. NATS allows no dots there: it is
// [target.Name] with underscores.
func streamName(run string) string { return streamPrefix + run + "_0" }

// streamConfig returns what the stream is asked to be.
func (f *Factory) streamConfig() jetstream.StreamConfig {
	subjects := "brokerbench." + f.Run + ".*"
	if !f.keys.None() {
		subjects += ".*"
	}
	config := jetstream.StreamConfig{
		Name: f.stream.Name, Description: "made by brokerbench, which removes it",
		Subjects: []string{subjects}, Storage: f.options.storage(), Replicas: f.options.replicas,
		Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew, MaxAge: f.options.maxAge,
	}
	if limit := f.options.retention.Bytes(); limit > 0 {
		config.MaxBytes, config.Discard = limit, jetstream.DiscardOld
	}
	return config
}

// storage returns where the stream is.
func (o *options) storage() jetstream.StorageType {
	if o.stream == streamMemory {
		return jetstream.MemoryStorage
	}
	return jetstream.FileStorage
}

// makeStream makes the stream of all connections.
func (c *conn) makeStream(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, streamLimit)
	defer cancel()
	err := create(ctx, c.js, c.factory.streamConfig())
	c.factory.stream.Set(!errors.Is(err, jetstream.ErrStreamNameAlreadyInUse))
	return err
}

// create makes the stream. A server that is still removing one of that name from its disk
// says that it cannot create the store: it is asked again for a moment.
func create(ctx context.Context, js jetstream.JetStream, config jetstream.StreamConfig) error {
	const again, atMost = 50 * time.Millisecond, 2 * time.Second
	var refused *jetstream.APIError
	for begun := time.Now(); ; {
		err := ask(ctx, func(ctx context.Context) error {
			_, err := js.CreateStream(ctx, config)
			return err
		})
		if !errors.As(err, &refused) || refused.ErrorCode != storeFailed || time.Since(begun) > atMost || ctx.Err() != nil {
			return err
		}
		time.Sleep(again)
	}
}

// storeFailed is the server's code for a stream whose store it could not create.
const storeFailed jetstream.ErrorCode = 10049

// deleteStream removes a stream over a separate connection.
func (f *Factory) deleteStream(ctx context.Context, name string) error {
	return f.withJetStream(ctx, func(js jetstream.JetStream) error { return removeStream(ctx, js, name) })
}

// removeStream removes a stream. That there is none is no error.
func removeStream(ctx context.Context, js jetstream.JetStream, name string) error {
	err := ask(ctx, func(ctx context.Context) error { return js.DeleteStream(ctx, name) })
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	return err
}

// ask does what asks JetStream for something, and repeats that while there is time and no
// answer comes. The request may have been carried out already.
func ask(ctx context.Context, do func(context.Context) error) error {
	if _, bounded := ctx.Deadline(); !bounded {
		limited, cancel := context.WithTimeout(ctx, streamLimit)
		defer cancel()
		ctx = limited
	}
	for wait := askAgain; ; wait *= 2 {
		once, cancel := context.WithTimeout(ctx, wait)
		err := do(once)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return err
		}
	}
}

// withJetStream calls do with the JetStream of a connection that it opens and closes.
func (f *Factory) withJetStream(ctx context.Context, do func(jetstream.JetStream) error) error {
	return f.with(ctx, f.Target, func(client *nats.Conn) error {
		js, err := jetStream(ctx, client)
		if err != nil {
			return err
		}
		return do(js)
	})
}

// jetStream returns the JetStream of a client, and an error if the server has none.
func jetStream(ctx context.Context, client *nats.Conn, options ...jetstream.JetStreamOpt) (jetstream.JetStream, error) {
	js, err := jetstream.New(client, append(options, jetstream.WithDefaultTimeout(streamLimit))...)
	if err != nil {
		return nil, err
	}
	return js, ask(ctx, func(ctx context.Context) error {
		_, err := js.AccountInfo(ctx)
		return err
	})
}

// useStream makes stream and consumer ready. After an error, doing says what it was doing.
func (c *conn) useStream(ctx context.Context) (doing string, err error) {
	name := c.factory.stream.Name
	if c.js, err = jetStream(ctx, c.client, c.publishing()...); err != nil {
		return "asking for JetStream", err
	}
	if err := c.Use(&c.factory.stream, func() error { return c.makeStream(ctx) }); err != nil {
		return "creating stream " + name, err
	}
	if c.produces {
		return "", nil
	}
	err = ask(ctx, func(ctx context.Context) (err error) {
		c.consumer, err = c.consume(ctx, name)
		return err
	})
	if err == nil {
		c.ended = c.consumer.Closed()
	}
	return "consuming from stream " + name, err
}

// publishing returns how messages are published: without waiting for one another.
func (c *conn) publishing() []jetstream.JetStreamOpt {
	pending := c.factory.options.maxPending
	if pending == 0 {
		pending = math.MaxInt32
	}
	return []jetstream.JetStreamOpt{
		jetstream.WithPublishAsyncMaxPending(pending),
		jetstream.WithPublishAsyncAckHandler(func(_ jetstream.JetStream, m *nats.Msg, _ *jetstream.PubAck) {
			c.AckedWith(stampOf(m.Header), m.Data)
		}),
		jetstream.WithPublishAsyncErrHandler(func(_ jetstream.JetStream, m *nats.Msg, err error) {
			// Without a connection it may have arrived: it comes back, or it is lost.
			if !errors.Is(err, nats.ErrDisconnected) {
				c.Failed(requester.Join(nil, stampOf(m.Header), m.Data), c.factory.Explain("publishing a message", err))
			}
		}),
	}
}

// consume begins to consume what is published to the connection's subject from now on. A
// consumer that the server reported too late ends with the stream.
func (c *conn) consume(ctx context.Context, stream string) (jetstream.ConsumeContext, error) {
	o := &c.factory.options
	troubles := jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) {
		if !c.Muted() {
			c.events.Note("consumer: %v", err) // it may end without the connection
		}
	})
	if c.group != "" {
		return c.shareConsumer(ctx, stream, troubles)
	}
	if o.consumer == consumerOrdered {
		consumer, err := c.js.OrderedConsumer(ctx, stream, jetstream.OrderedConsumerConfig{
			DeliverPolicy: jetstream.DeliverNewPolicy, FilterSubjects: []string{c.subject},
		})
		if err != nil {
			return nil, err
		}
		return consumer.Consume(func(m jetstream.Msg) { c.DeliverWith(stampOf(m.Headers()), m.Data()) }, troubles)
	}
	config := jetstream.ConsumerConfig{
		DeliverPolicy: jetstream.DeliverNewPolicy, AckPolicy: jetstream.AckExplicitPolicy, FilterSubject: c.subject,
		InactiveThreshold: consumerKept, MaxAckPending: -1, Replicas: o.replicas, MemoryStorage: o.stream == streamMemory,
	}
	if o.consumer == consumerPush {
		config.DeliverSubject = c.client.NewInbox()
		consumer, err := c.js.CreatePushConsumer(ctx, stream, config)
		if err != nil {
			return nil, err
		}
		return consumer.Consume(c.deliverAndAck, troubles)
	}
	consumer, err := c.js.CreateConsumer(ctx, stream, config)
	if err != nil {
		return nil, err
	}
	return consumer.Consume(c.deliverAndAck, troubles)
}
