package rabbitstream

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/internal/leaf/poll"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

func TestAuditReadsAll(t *testing.T) {
	for _, options := range kinds {
		t.Run(options, func(t *testing.T) { requestertest.AuditReadsAll(t, running(t, options), 12_345, 100, 2) })
	}
}

// All messages are counted, although the last of them are in one chunk.
func TestStoreStateCountsTheLastChunk(t *testing.T) {
	const n = 2000
	f := running(t, "batch-size=1000")
	requestertest.Store(t, f, 0, n, 100)
	var found, last int64
	poll.Until(t, 15*time.Second, func() bool {
		s, err := f.StoreState(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		found = s.Messages
		return found >= n+1 // the probe, too
	}, "the stream does not have %d messages and the probe", n)
	do(t, func(env *stream.Environment) error {
		c, err := chunkAt(t.Context(), env, f.stream(0), stream.OffsetSpecification{}.Last())
		last = c.entries
		return err
	})
	if found != n+1 || last == 1 {
		t.Errorf("%d messages, %d of them in the last chunk", found, last)
	}
}

func TestAuditExplains(t *testing.T) {
	f := running(t, "")
	requestertest.Store(t, f, 0, 10, 100)
	l := requestertest.Store(t, f, 1, 10, 100)
	do(t, func(env *stream.Environment) error { return env.DeleteStream(f.stream(0)) })
	if found := requestertest.Audited(t, f); len(found) != 10 {
		t.Errorf("%d messages of the stream that is there, want 10", len(found))
	}
	do(t, func(env *stream.Environment) error { return env.DeleteStream(f.stream(1)) })
	if err := f.Audit(t.Context(), nil); !errors.Is(err, requester.ErrStoreGone) {
		t.Errorf("without streams: %v", err)
	}
	l.End(t)
	away := brokertest.Opened(t, Open, "rabbitmq-stream://"+brokertest.Refusing(t), "")
	away.add(0).Set(true)
	brokertest.WantFault(t, away.Audit(t.Context(), nil), "reading stream", "start the broker")
}

// Messages that the broker removed because of the option max-length are not lost.
func TestATrimmedStreamIsNotAudited(t *testing.T) {
	f := running(t, "max-length=100000&segment-size=50000")
	l := connected(t, f, 0)
	for i := range uint64(400) { // one by one: RabbitMQ 3.10 loses a stream that begins a segment while it trims
		l.RoundTrip(t, requestertest.Payload(0, i, 1000))
	}
	err := f.Audit(t.Context(), func([]byte) {})
	brokertest.WantFault(t, err, "the stream was trimmed", "max-length")
}

func TestContextEndsAnAudit(t *testing.T) {
	f, p := behind(t, "")
	requestertest.Store(t, f, 0, 10, 100)
	p.Set(relay.State{Deaf: true, Mute: true})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := f.Audit(ctx, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	p.Set(relay.State{})
}
