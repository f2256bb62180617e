package nats

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats.go/jetstream"
)

var _ requester.Auditor = (*Factory)(nil)

// How the stream is read: as many messages at once as keep the socket busy. auditSilence
// is how long none comes before the server is asked whether it still has any.
const (
	auditBatch   = 5000
	auditSilence = 5 * time.Second
)

// Audit implements [requester.Auditor]: it reads the stream from its first message to what
// was its last when it began, with an ordered consumer of its own.
func (f *Factory) Audit(ctx context.Context, kept func(payload []byte)) error {
	if f.options.stream == streamNone {
		return requester.ErrKeepsNothing
	}
	name := streamName(f.run)
	err := f.withJetStream(ctx, func(js jetstream.JetStream) error {
		stream, err := js.Stream(ctx, name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return requester.ErrStoreGone
		}
		if err != nil {
			return err
		}
		state := stream.CachedInfo().State
		if state.Msgs == 0 {
			return nil
		}
		consumer, err := js.OrderedConsumer(ctx, name, jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverAllPolicy})
		if err != nil {
			return err
		}
		messages, err := consumer.Messages(jetstream.PullMaxMessages(auditBatch))
		if err != nil {
			return err
		}
		defer messages.Stop()
		return readTo(ctx, messages, state.LastSeq, kept)
	})
	if errors.Is(err, requester.ErrStoreGone) {
		return err
	}
	return f.explain("reading stream "+name, err)
}

// readTo reads messages up to the last sequence.
func readTo(ctx context.Context, messages jetstream.MessagesContext, last uint64, kept func([]byte)) error {
	for {
		m, err := next(ctx, messages)
		if err != nil {
			return err
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		if meta.Sequence.Stream <= last {
			kept(m.Data())
		}
		if meta.Sequence.Stream >= last || meta.NumPending == 0 {
			return nil
		}
	}
}

// next returns the next message.
func next(ctx context.Context, messages jetstream.MessagesContext) (jetstream.Msg, error) {
	m, err := messages.Next(jetstream.NextMaxWait(auditSilence))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("no message for %v: %w", auditSilence, err)
	}
	return m, nil
}
