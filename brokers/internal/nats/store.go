package nats

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats.go/jetstream"
)

// How the stream is read: as many messages at once as keep the socket busy. auditSilence
// is how long none may come.
const (
	auditBatch = 20_000
	auditBytes = 16 << 20 // nats.go drops what it cannot hand over beyond 64 MiB
	// A server drops a request while a leader changes, such as after a fault. Then no heartbeat comes
	// either, and the consumer is made again.
	auditHeartbeat = time.Second
	auditSilence   = 20 * time.Second
)

var errExpires = errors.New("it drops messages")

// Audit implements [requester.Auditor]: it reads all that is in the stream when it begins,
// from the first message, with a separate ordered consumer.
func (f *Factory) Audit(ctx context.Context, kept func(payload []byte)) error {
	if !f.options.stores() {
		return requester.ErrKeepsNothing
	}
	if f.options.maxAge > 0 {
		return f.Explain("reading stream "+f.stream.Name, fmt.Errorf("%w after max-age=%v: which messages were kept is not known", errExpires, f.options.maxAge))
	}
	err := f.withJetStream(ctx, func(js jetstream.JetStream) error {
		stream, err := js.Stream(ctx, f.stream.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return requester.ErrStoreGone
		}
		if err != nil || stream.CachedInfo().State.Msgs == 0 {
			return err
		}
		consumer, err := js.OrderedConsumer(ctx, f.stream.Name, jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverAllPolicy})
		if err != nil {
			return err
		}
		return read(ctx, consumer, stream.CachedInfo().State.Msgs, kept)
	})
	if errors.Is(err, requester.ErrStoreGone) {
		return err
	}
	return f.Explain("reading stream "+f.stream.Name, err)
}

// Store implements [requester.Auditor].
func (f *Factory) Store() requester.Store {
	return requester.Store{Retention: f.options.retention.Bytes(), InMemory: f.options.stream == streamMemory}
}

// StoreState implements [requester.StoreMeter].
func (f *Factory) StoreState(ctx context.Context) (s requester.StoreState, err error) {
	if !f.options.stores() {
		return s, requester.ErrKeepsNothing
	}
	err = f.withJetStream(ctx, func(js jetstream.JetStream) error {
		stream, err := js.Stream(ctx, f.stream.Name)
		if err == nil {
			state := stream.CachedInfo().State
			s = requester.StoreState{Messages: int64(state.Msgs), Bytes: int64(state.Bytes), Discarded: int64(state.LastSeq - state.Msgs)}
		}
		return err
	})
	return s, f.Explain("asking for the state of stream "+f.stream.Name, err)
}

// read takes so many messages from a consumer, in the order of the stream.
func read(ctx context.Context, consumer jetstream.Consumer, messages uint64, kept func([]byte)) error {
	all, err := consumer.Messages(jetstream.PullMaxMessagesWithBytesLimit(auditBatch, auditBytes), jetstream.PullHeartbeat(auditHeartbeat))
	if err != nil {
		return err
	}
	defer all.Stop()
	defer context.AfterFunc(ctx, all.Stop)()
	for n := range messages {
		m, err := all.Next(jetstream.NextMaxWait(auditSilence))
		if err != nil {
			return fmt.Errorf("after %d of %d messages: %w", n, messages, target.Because(ctx, err))
		}
		kept(requester.Join(nil, stampOf(m.Headers()), m.Data()))
	}
	return nil
}

// streamPrefix begins the name of every stream of brokerbench.
const streamPrefix = "brokerbench_"

// Left implements [requester.Sweeper].
func (f *Factory) Left() []string { return f.stream.Left() }

// Find implements [requester.Sweeper]. Only streams outlive a connection. One was used when
// its newest message was written or it was made, and it is in use while it has consumers.
func (f *Factory) Find(ctx context.Context, q requester.LeftoverQuery) (things []requester.Leftover, unseen string, err error) {
	err = f.withJetStream(ctx, func(js jetstream.JetStream) error {
		streams := js.ListStreams(ctx)
		for info := range streams.Info() {
			name, ours := thingName(info.Config.Name)
			if !ours || !leftover.Wants(q, name) {
				continue
			}
			thing := requester.Leftover{Kind: "stream", Name: name, Used: info.Created}
			if info.State.LastTime.After(thing.Used) {
				thing.Used = info.State.LastTime
			}
			if info.State.Consumers > 0 {
				thing.Busy = "it has consumers"
			}
			things = append(things, thing)
		}
		return streams.Err()
	})
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
		return nil, "", nil // no stream can be there
	}
	return things, "", f.Explain("looking for streams", err)
}

// Remove implements [requester.Sweeper].
func (f *Factory) Remove(ctx context.Context, things []requester.Leftover) []error {
	open := func(do func(jetstream.JetStream) error) error {
		return f.Explain("deleting streams", f.withJetStream(ctx, do))
	}
	return leftover.Remove(things, open, func(js jetstream.JetStream, thing requester.Leftover) error {
		err := removeStream(ctx, js, streamName(leftover.Run(thing.Name)))
		return f.Explain("deleting stream "+thing.Name, target.Because(ctx, err))
	})
}

// thingName returns the name of a stream in the form of all names of brokerbench:
// brokerbench_<run>_0 is brokerbench.<run>.0.
func thingName(stream string) (name string, ours bool) {
	rest, ours := strings.CutPrefix(stream, streamPrefix)
	run, ours2 := strings.CutSuffix(rest, "_0")
	return target.Name(run, 0), ours && ours2 && run != ""
}
