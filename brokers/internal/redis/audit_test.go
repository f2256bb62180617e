package redis

import (
	"errors"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// What is gone from the stream is missing, at the end, too.
func TestAuditMissesWhatIsGone(t *testing.T) {
	f := openURL(t, serve(t).url("", "?stream=read"))
	requestertest.Store(t, f, 0, 100, 100)
	ids := do(t, f, "XRANGE|"+f.channel(0)+"|-|+").([]any)
	gone := []uint64{0, 50, 99}
	for _, seq := range gone {
		id := ids[len(ids)-100+int(seq)].([]any)[0].(string) // behind the probes
		do(t, f, "XDEL|"+f.channel(0)+"|"+id)
	}
	brokertest.AuditMisses(t, f, 100, gone...)
}

func TestAuditOfNothing(t *testing.T) {
	if err := openURL(t, serve(t).url("", "")).Audit(t.Context(), nil); !errors.Is(err, requester.ErrKeepsNothing) {
		t.Errorf("pub/sub: %v", err)
	}
	f := openURL(t, serve(t).url("", "?stream=read&max-len=10"))
	requestertest.Store(t, f, 0, 1000, 100)
	brokertest.WantFault(t, f.Audit(t.Context(), nil), "trimmed to max-len=10", "leave out the option max-len")
	brokertest.WantFault(t, openURL(t, "redis://"+brokertest.Refusing(t)+"?stream=read").Audit(t.Context(), nil), "connecting", "connection refused")
}

// killed kills a server while messages are in the stream, starts it again, and returns
// what the audit finds of them.
func killed(t *testing.T, n int, args ...string) map[requester.Stamp]int {
	t.Helper()
	b := serve(t, args...)
	f := openURL(t, b.url("", "?stream=group"))
	l := requestertest.Store(t, f, 0, n, 100)
	b.halt()
	b.start(t)
	l.WantEvents(t, "publisher reconnected after ", "consumer reconnected after ")
	return requestertest.Audited(t, f)
}

func TestAuditAfterAKill(t *testing.T) {
	// With everysec some may be gone: the server does not write while it syncs.
	if found := killed(t, 500, "--appendonly", "yes", "--appendfsync", "always"); len(found) != 500 {
		t.Errorf("%d messages are left of 500", len(found))
	}
	if found := killed(t, 500); len(found) != 0 {
		t.Errorf("without a file %d messages are left", len(found))
	}
}

func BenchmarkAudit(b *testing.B) {
	f := openURL(b, serve(b).url("", "?stream=read"))
	const n = 100_000
	requestertest.Store(b, f, 0, n, 1024)
	b.ResetTimer()
	for range b.N {
		if err := f.Audit(b.Context(), func([]byte) {}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}
