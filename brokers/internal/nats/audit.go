package nats

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats.go/jetstream"
)

var _ requester.Auditor = (*Factory)(nil)

// How the stream is read: as many messages at once as keep the socket busy. auditSilence
// is how long none may come.
const (
	auditBatch   = 20_000
	auditBytes   = 16 << 20 // nats.go drops what it cannot hand over beyond 64 MiB
	auditSilence = 5 * time.Second
)

// Store implements [requester.Auditor].
func (f *Factory) Store() requester.Store { return requester.Store{} }

// Audit implements [requester.Auditor]: it reads all that is in the stream when it begins,
// from the first message, with a separate ordered consumer.
func (f *Factory) Audit(ctx context.Context, kept func(payload []byte)) error {
	if f.options.stream == streamNone {
		return requester.ErrKeepsNothing
	}
	name := streamName(f.Run)
	err := f.withJetStream(ctx, func(js jetstream.JetStream) error {
		stream, err := js.Stream(ctx, name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return requester.ErrStoreGone
		}
		if err != nil || stream.CachedInfo().State.Msgs == 0 {
			return err
		}
		consumer, err := js.OrderedConsumer(ctx, name, jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverAllPolicy})
		if err != nil {
			return err
		}
		return read(ctx, consumer, stream.CachedInfo().State.Msgs, kept)
	})
	if errors.Is(err, requester.ErrStoreGone) {
		return err
	}
	return f.Explain("reading stream "+name, err)
}

// read takes so many messages from a consumer, in the order of the stream.
func read(ctx context.Context, consumer jetstream.Consumer, messages uint64, kept func([]byte)) error {
	var taken atomic.Uint64
	all := make(chan struct{})
	consuming, err := consumer.Consume(func(m jetstream.Msg) {
		if taken.Load() == messages {
			return // more than there were
		}
		kept(m.Data())
		if taken.Add(1) == messages {
			close(all)
		}
	}, jetstream.PullMaxMessagesWithBytesLimit(auditBatch, auditBytes))
	if err != nil {
		return err
	}
	err = await(ctx, all, &taken, messages)
	consuming.Stop()
	<-consuming.Closed() // from now on kept is not called
	return err
}

// await waits until all messages are taken, as long as any come.
func await(ctx context.Context, all <-chan struct{}, taken *atomic.Uint64, messages uint64) error {
	for before := uint64(0); ; {
		select {
		case <-all:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(auditSilence):
			now := taken.Load()
			if now == before {
				return fmt.Errorf("after %d of %d messages none came for %v", now, messages, auditSilence)
			}
			before = now
		}
	}
}
