package rabbitstream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/amqp"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

// How a stream is read. A stream is given up if no message comes for auditSilence. It is read to
// its end if none comes for chunkSilence after the last chunk began: the client has read the
// whole chunk before it passes on its first message.
const (
	auditCredits = 1000
	auditSilence = 15 * time.Second
	chunkSilence = 250 * time.Millisecond
	auditTick    = 10 * time.Millisecond
)

// errTrimmed means that a stream no longer has all its messages.
var errTrimmed = errors.New("the stream was trimmed")

// Store implements [requester.Auditor].
func (f *Factory) Store() requester.Store {
	return requester.Store{Retention: f.options.retention.Bytes()}
}

// StoreState implements [requester.StoreMeter]. The broker does not tell bytes. An entry of the last chunk
// counts as one message: with option sub-entry-size it has several.
func (f *Factory) StoreState(ctx context.Context) (s requester.StoreState, err error) {
	s.Bytes = -1
	for number, name := range f.created() {
		var first, last chunk
		err := f.during(ctx, number, func(env *stream.Environment) (err error) {
			if first, err = chunkAt(ctx, env, name, stream.OffsetSpecification{}.First()); err == nil {
				last, err = chunkAt(ctx, env, name, stream.OffsetSpecification{}.Last())
			}
			return err
		})
		if err != nil {
			return requester.StoreState{}, f.explain("asking for the state of stream "+name, target.Because(ctx, err))
		}
		s.Messages, s.Discarded = s.Messages+last.offset+last.entries-first.offset, s.Discarded+first.offset
	}
	return s, nil
}

// Audit implements [requester.Auditor]: it reads the stream of each connection from its first
// message to its last, with a separate consumer.
func (f *Factory) Audit(ctx context.Context, kept func(payload []byte)) error {
	names, gone := f.created(), 0
	for number, name := range names {
		switch err := f.auditStream(ctx, number, name, kept); {
		case errors.Is(err, stream.StreamDoesNotExist):
			gone++ // with its messages
		case err != nil:
			return f.explain("reading stream "+name, target.Because(ctx, err))
		}
	}
	if gone > 0 && gone == len(names) {
		return requester.ErrStoreGone
	}
	return nil
}

// auditStream reads one stream, over the first node that has it: one whose data was removed may have come
// back alone.
func (f *Factory) auditStream(ctx context.Context, number int, name string, kept func([]byte)) (err error) {
	for i := range f.broker.Addrs() {
		if err = f.auditOver(ctx, number+i, name, kept); !errors.Is(err, stream.StreamDoesNotExist) {
			return err
		}
	}
	return err
}

// auditOver reads one stream over the node of that number, or the next that accepts.
func (f *Factory) auditOver(ctx context.Context, number int, name string, kept func([]byte)) error {
	r := &reading{kept: kept, limited: f.options.retention.Bytes() > 0}
	defer r.end()
	return f.during(ctx, number, func(env *stream.Environment) error {
		last, err := chunkAt(ctx, env, name, stream.OffsetSpecification{}.Last())
		if err == nil {
			err = r.all(ctx, env, name, last.offset)
		}
		return err
	})
}

// A reading reads one stream, in the goroutine of a consumer.
type reading struct {
	kept    func(payload []byte)
	limited bool // the first messages may have been discarded

	mu          sync.Mutex
	first, last int64 // offsets of the messages read
	read        int64 // messages
	ended       bool  // kept is not called again
}

// end returns when the last call of kept has returned.
func (r *reading) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
}

// take passes on a message.
func (r *reading) take(offset int64, m *amqp.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return
	}
	if r.read == 0 {
		r.first = offset
	}
	r.read++
	r.last = offset
	r.kept(requester.Join(nil, transport.StampOf(m.ApplicationProperties), m.GetData()))
}

// A chunk is what a stream stores and delivers as one.
type chunk struct {
	offset  int64 // of its first message
	entries int64 // each of one message, or of several with option sub-entry-size
}

// chunkAt returns a chunk: the first one or the last.
func chunkAt(ctx context.Context, env *stream.Environment, name string, at stream.OffsetSpecification) (chunk, error) {
	first := make(chan chunk, 1)
	consumer, err := consume(env, name, at, 1, func(c stream.ConsumerContext, _ *amqp.Message) {
		select {
		case first <- chunk{c.Consumer.GetOffset(), int64(c.GetEntriesCount())}:
		default:
		}
	})
	if err != nil {
		return chunk{}, err
	}
	defer consumer.Close()
	select {
	case found := <-first:
		return found, nil
	case <-ctx.Done():
		return chunk{}, ctx.Err()
	case <-time.After(auditSilence):
		return chunk{}, fmt.Errorf("no message came in %v, although the probe of the connection must be there", auditSilence)
	}
}

// all passes on all messages, up to the end of the last chunk.
func (r *reading) all(ctx context.Context, env *stream.Environment, name string, last int64) error {
	credits := credits{quarter: auditCredits / 4}
	consumer, err := consume(env, name, stream.OffsetSpecification{}.First(), auditCredits, func(c stream.ConsumerContext, m *amqp.Message) {
		r.take(c.Consumer.GetOffset(), m)
		credits.grant(c)
	})
	if err != nil {
		return err
	}
	defer consumer.Close()
	if err := r.await(ctx, last); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first > 0 && !r.limited {
		return fmt.Errorf("%w: its first message is number %d", errTrimmed, r.first)
	}
	return nil
}

// await waits until the last chunk was passed on, while messages come.
func (r *reading) await(ctx context.Context, last int64) error {
	var before int64
	for since := time.Now(); ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(auditTick):
		}
		r.mu.Lock()
		read, at := r.read, r.last
		r.mu.Unlock()
		switch gap := time.Since(since); {
		case read != before:
			before, since = read, time.Now()
		case read > 0 && at >= last && gap > chunkSilence:
			return nil
		case gap > auditSilence:
			return fmt.Errorf("after %d messages none came for %v, and message %d must be there", read, auditSilence, last)
		}
	}
}

// consume passes on messages, one after the other.
func consume(env *stream.Environment, name string, from stream.OffsetSpecification, credits int16, take stream.MessagesHandler) (*stream.Consumer, error) {
	return env.NewConsumer(name, take, stream.NewConsumerOptions().SetOffset(from).SetInitialCredits(credits).
		SetCreditStrategy(stream.ManualCreditStrategy).SetClientProvidedName("brokerbench audits "+name))
}
