package nats

import (
	"errors"
	"fmt"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/nats-io/nats.go/jetstream"
)

func TestAuditReadsAll(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			requestertest.AuditReadsAll(t, open(t, serveStreams(t, nil), "", mode), 12_000, 100, 2)
		})
	}
}

// What is gone from the stream is missing, at the end, too.
func TestAuditMissesWhatIsGone(t *testing.T) {
	f := open(t, serveStreams(t, nil), "", "?stream=file")
	requestertest.Store(t, f, 0, 100, 100)
	var gone []uint64
	err := f.withJetStream(t.Context(), func(js jetstream.JetStream) error {
		stream, err := js.Stream(t.Context(), streamName(f.Run))
		if err != nil {
			return err
		}
		for _, back := range []uint64{0, 1, 50} { // from the last
			at := stream.CachedInfo().State.LastSeq - back
			gone = append(gone, 99-back)
			if err := stream.DeleteMsg(t.Context(), at); err != nil {
				return fmt.Errorf("message %d: %w", at, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	brokertest.AuditMisses(t, f, 100, gone...)
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
		if _, err := js.CreateStream(b.Context(), f.streamConfig()); err != nil {
			return err
		}
		subject := target.Name(f.Run, 0)
		for i := range n {
			if _, err := js.PublishAsync(subject, requestertest.Payload(0, uint64(i), 1024)); err != nil {
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
