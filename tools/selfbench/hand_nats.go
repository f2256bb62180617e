//go:build linux

package main

import (
	"context"
	"math"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// natsByHand is nats.go with its defaults, except that it drops nothing: Publish, which
// leaves the write to the flusher, and a subscription with a callback.
func natsByHand(_ context.Context, url string, received, _ func()) (link, error) {
	client, err := nats.Connect(withoutOptions(url))
	if err != nil {
		return link{}, err
	}
	subject := nats.NewInbox()
	l := link{publish: func(payload []byte) error { return client.Publish(subject, payload) }, close: client.Close}
	subscription, err := client.Subscribe(subject, func(*nats.Msg) { received() })
	if err == nil {
		err = subscription.SetPendingLimits(-1, -1)
	}
	if err == nil {
		err = client.Flush()
	}
	return l, err
}

// jetStreamByHand is nats.go's jetstream package with a stream in a file, messages that
// are published without waiting for one another, and a consumer with a callback: an
// ordered one, or one that pulls and acknowledges each message.
func jetStreamByHand(pull bool) dial {
	return func(ctx context.Context, url string, received, acked func()) (link, error) {
		client, err := nats.Connect(withoutOptions(url))
		if err != nil {
			return link{}, err
		}
		js, err := jetstream.New(client,
			jetstream.WithPublishAsyncMaxPending(math.MaxInt32),
			jetstream.WithPublishAsyncAckHandler(func(jetstream.JetStream, *nats.Msg, *jetstream.PubAck) { acked() }))
		name := unique()
		if err == nil {
			_, err = js.CreateStream(ctx, jetstream.StreamConfig{Name: name, Subjects: []string{name}, Storage: jetstream.FileStorage, Discard: jetstream.DiscardNew})
		}
		l := link{
			publish: func(payload []byte) error {
				_, err := js.PublishMsgAsync(&nats.Msg{Subject: name, Data: payload})
				return err
			},
			close: func() {
				_ = js.DeleteStream(context.WithoutCancel(ctx), name)
				client.Close()
			},
		}
		if err == nil {
			err = consumeStream(ctx, js, name, pull, received)
		}
		return l, err
	}
}

// consumeStream consumes a stream until its connection is closed.
func consumeStream(ctx context.Context, js jetstream.JetStream, name string, pull bool, received func()) error {
	if !pull {
		consumer, err := js.OrderedConsumer(ctx, name, jetstream.OrderedConsumerConfig{
			DeliverPolicy: jetstream.DeliverNewPolicy, FilterSubjects: []string{name},
		})
		if err == nil {
			_, err = consumer.Consume(func(jetstream.Msg) { received() })
		}
		return err
	}
	consumer, err := js.CreateConsumer(ctx, name, jetstream.ConsumerConfig{
		DeliverPolicy: jetstream.DeliverNewPolicy, AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: -1,
		FilterSubject: name, InactiveThreshold: 5 * time.Minute, Replicas: 1,
	})
	if err == nil {
		_, err = consumer.Consume(func(m jetstream.Msg) {
			received()
			_ = m.Ack()
		})
	}
	return err
}
