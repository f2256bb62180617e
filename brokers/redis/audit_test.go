package redis

import (
	"errors"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
)

// stored adds messages to the stream of connection 0, and returns when all are
// acknowledged.
func stored(t testing.TB, f *Factory, n, size int) *brokertest.Link {
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
	return l
}

// audited returns the sequences of the messages that an audit finds, and how often.
func audited(t testing.TB, f *Factory) map[uint64]int {
	t.Helper()
	found := make(map[uint64]int)
	if err := f.Audit(t.Context(), func(payload []byte) {
		if s, ok := requester.ReadStamp(payload); ok {
			found[s.Seq]++
		}
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestAuditReadsAll(t *testing.T) {
	for _, mode := range modes {
		f := openURL(t, serve(t).url("", "?"+mode))
		stored(t, f, 12_345, 100)
		if found := audited(t, f); len(found) != 12_345 || found[0] != 1 || found[12_344] != 1 {
			t.Errorf("%s: %d messages", mode, len(found))
		}
	}
}

// What is gone from the stream is missing, at the end, too.
func TestAuditMissesWhatIsGone(t *testing.T) {
	f := openURL(t, serve(t).url("", "?stream=read"))
	stored(t, f, 100, 100)
	ids := do(t, f, "XRANGE|"+f.channel(0)+"|-|+").([]any)
	gone := map[uint64]bool{0: true, 50: true, 99: true}
	for seq := range gone {
		id := ids[len(ids)-100+int(seq)].([]any)[0].(string) // behind the probes
		do(t, f, "XDEL|"+f.channel(0)+"|"+id)
	}
	found := audited(t, f)
	for seq := range uint64(100) {
		if (found[seq] == 1) == gone[seq] {
			t.Errorf("message %d is found %d times", seq, found[seq])
		}
	}
}

func TestAuditOfNothing(t *testing.T) {
	if err := openURL(t, serve(t).url("", "")).Audit(t.Context(), nil); !errors.Is(err, requester.ErrKeepsNothing) {
		t.Errorf("pub/sub: %v", err)
	}
	f := openURL(t, serve(t).url("", "?stream=read&max-len=10"))
	stored(t, f, 1000, 100)
	brokertest.WantFault(t, f.Audit(t.Context(), nil), "trimmed to max-len=10", "leave the option max-len out")
	brokertest.WantFault(t, openURL(t, "redis://"+brokertest.Refusing(t)+"?stream=read").Audit(t.Context(), nil), "reading streams", "connection refused")
}

// killed kills a server while messages are in the stream, starts it again, and returns
// what the audit finds of them.
func killed(t *testing.T, n int, args ...string) map[uint64]int {
	t.Helper()
	b := serve(t, args...)
	f := openURL(t, b.url("", "?stream=group"))
	l := stored(t, f, n, 100)
	b.halt()
	b.start(t)
	l.WantEvents(t, "publisher reconnected after ", "consumer reconnected after ")
	return audited(t, f)
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
	stored(b, f, n, 1024)
	b.ResetTimer()
	for range b.N {
		if err := f.Audit(b.Context(), func([]byte) {}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}
