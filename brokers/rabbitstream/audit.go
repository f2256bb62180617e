package rabbitstream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/amqp"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

// How a stream is read. auditSilence is how long no message may come; chunkSilence how long
// none comes behind the last chunk, which the client has whole before it passes on its first
// message.
const (
	auditCredits = 1000
	auditSilence = 15 * time.Second
	chunkSilence = 250 * time.Millisecond
	auditTick    = 10 * time.Millisecond
)

// errTrimmed is why a stream cannot be read back whole.
var errTrimmed = errors.New("the stream was trimmed")

// Audit implements [requester.Auditor]: it reads the stream of each connection from its first
// message to its last, with a consumer of its own.
func (f *Factory) Audit(ctx context.Context, kept func(payload []byte)) error {
	names, gone := f.made.All(), 0
	for number, name := range names {
		switch err := f.auditStream(ctx, number, name, kept); {
		case errors.Is(err, stream.StreamDoesNotExist):
			gone++ // with all that was in it
		case err != nil:
			return f.explain("reading stream "+name, target.Because(ctx, err))
		}
	}
	if gone > 0 && gone == len(names) {
		return requester.ErrStoreGone
	}
	return nil
}

// auditStream reads one stream.
func (f *Factory) auditStream(ctx context.Context, number int, name string, kept func([]byte)) error {
	env, err := f.dial(ctx, number)
	if err != nil {
		return err
	}
	r := &reading{kept: kept}
	defer r.end()
	_, err = within(ctx, func(struct{}) {}, func() (struct{}, error) {
		defer env.Close()
		last, err := r.lastChunk(ctx, env, name)
		if err == nil {
			err = r.all(ctx, env, name, last)
		}
		return struct{}{}, err
	})
	return err
}

// A reading reads one stream. What it has read is written by the goroutine of a consumer.
type reading struct {
	kept func(payload []byte)

	mu          sync.Mutex
	first, last int64 // offsets of what was read
	read        int64 // messages
	ended       bool  // nothing is passed on any more
}

// end returns when kept is not called any more.
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
	r.kept(m.GetData())
}

// lastChunk returns the offset at which the last chunk begins: it is what a consumer from
// "last" gets first.
func (r *reading) lastChunk(ctx context.Context, env *stream.Environment, name string) (int64, error) {
	first := make(chan int64, 1)
	consumer, err := consume(env, name, stream.OffsetSpecification{}.Last(), func(offset int64, _ *amqp.Message) {
		select {
		case first <- offset:
		default:
		}
	})
	if err != nil {
		return 0, err
	}
	defer consumer.Close()
	select {
	case offset := <-first:
		return offset, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-time.After(auditSilence):
		return 0, fmt.Errorf("no message came in %v, although the probe of the connection must be there", auditSilence)
	}
}

// all passes on the messages up to the last chunk, and those in it.
func (r *reading) all(ctx context.Context, env *stream.Environment, name string, last int64) error {
	consumer, err := consume(env, name, stream.OffsetSpecification{}.First(), r.take)
	if err != nil {
		return err
	}
	defer consumer.Close()
	if err := r.await(ctx, last); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first > 0 {
		return fmt.Errorf("%w: it begins at message %d", errTrimmed, r.first)
	}
	return nil
}

// await waits until the last chunk was passed on, as long as messages come.
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
		switch quiet := time.Since(since); {
		case read != before:
			before, since = read, time.Now()
		case read > 0 && at >= last && quiet > chunkSilence:
			return nil
		case quiet > auditSilence:
			return fmt.Errorf("after %d messages none came for %v, and message %d must be there", read, auditSilence, last)
		}
	}
}

// consume passes on messages with their offsets, one after the other.
func consume(env *stream.Environment, name string, from stream.OffsetSpecification, take func(offset int64, m *amqp.Message)) (*stream.Consumer, error) {
	credits := credits{quarter: auditCredits / 4}
	return env.NewConsumer(name, func(c stream.ConsumerContext, m *amqp.Message) {
		take(c.Consumer.GetOffset(), m)
		credits.grant(c)
	}, stream.NewConsumerOptions().SetOffset(from).SetInitialCredits(auditCredits).
		SetCreditStrategy(stream.ManualCreditStrategy).SetClientProvidedName("brokerbench audits "+name))
}
