package nats

import (
	"errors"
	"fmt"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats.go/jetstream"
)

// stored publishes messages to a factory's stream, and returns when all are acknowledged.
func stored(t testing.TB, f *Factory, n, size int) {
	t.Helper()
	l := brokertest.NewLink(t, f, 0)
	acked := make(chan struct{}, n)
	l.Requester.(*streamConn).NotifyAck(func([]byte) { acked <- struct{}{} })
	if err := l.Begin(); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		l.Send(t, brokertest.Payload(0, uint64(i), size))
	}
	for range n {
		<-acked
	}
}

// audited returns the sequences of the messages that an audit finds, and how often.
func audited(t testing.TB, f *Factory) map[uint64]int {
	t.Helper()
	found := make(map[uint64]int)
	if err := f.Audit(t.Context(), func(payload []byte) {
		if stamp, ok := requester.ReadStamp(payload); ok {
			found[stamp.Seq]++
		}
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestAuditReadsAll(t *testing.T) {
	for _, mode := range modes {
		f := open(t, serveStreams(t, nil), "", mode)
		stored(t, f, 12_000, 100)
		if found := audited(t, f); len(found) != 12_000 || found[0] != 1 || found[11_999] != 1 {
			t.Errorf("%s: %d messages", mode, len(found))
		}
	}
}

// What is gone from the stream is missing, at the end, too.
func TestAuditMissesWhatIsGone(t *testing.T) {
	f := open(t, serveStreams(t, nil), "", "?stream=file")
	stored(t, f, 100, 100)
	gone := map[uint64]bool{}
	err := f.withJetStream(t.Context(), func(js jetstream.JetStream) error {
		stream, err := js.Stream(t.Context(), streamName(f.run))
		if err != nil {
			return err
		}
		for _, back := range []uint64{0, 1, 50} { // from the last
			at := stream.CachedInfo().State.LastSeq - back
			gone[99-back] = true
			if err := stream.DeleteMsg(t.Context(), at); err != nil {
				return fmt.Errorf("message %d: %w", at, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	found := audited(t, f)
	for seq := range uint64(100) {
		if (found[seq] == 1) == gone[seq] {
			t.Errorf("message %d is found %d times", seq, found[seq])
		}
	}
}

func TestAuditOfNothing(t *testing.T) {
	if err := open(t, serve(t, nil), "", "").Audit(t.Context(), nil); !errors.Is(err, requester.ErrKeepsNothing) {
		t.Errorf("core NATS: %v", err)
	}
	if err := open(t, serveStreams(t, nil), "", "?stream=file").Audit(t.Context(), nil); !errors.Is(err, requester.ErrStoreGone) {
		t.Errorf("no stream: %v", err)
	}
	brokertest.WantFault(t, openURL(t, "nats://"+brokertest.Refusing(t)+"?stream=file").Audit(t.Context(), nil), "connecting", "connection refused", "start the broker")
}

// BenchmarkAudit reads back messages of 1 KiB.
func BenchmarkAudit(b *testing.B) {
	for _, mode := range []string{"?stream=memory", "?stream=file"} {
		b.Run(mode, func(b *testing.B) {
			f := open(b, serveStreams(b, nil), "", mode)
			n, read := max(b.N, 1000), 0
			fill(b, f, n)
			b.ResetTimer()
			if err := f.Audit(b.Context(), func([]byte) { read++ }); err != nil || read < n {
				b.Fatalf("%d of %d: %v", read, n, err)
			}
			b.ReportMetric(float64(read)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}

// fill publishes messages of 1 KiB to a factory's stream, which nobody consumes.
func fill(b *testing.B, f *Factory, n int) {
	b.Helper()
	err := f.withJetStream(b.Context(), func(js jetstream.JetStream) error {
		if _, err := js.CreateStream(b.Context(), f.stream.config()); err != nil {
			return err
		}
		subject := target.Name(f.run, 0)
		for i := range n {
			if _, err := js.PublishAsync(subject, brokertest.Payload(0, uint64(i), 1024)); err != nil {
				return err
			}
			if i%1000 == 999 {
				<-js.PublishAsyncComplete()
			}
		}
		<-js.PublishAsyncComplete()
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
