package brokertest

import (
	"slices"
	"testing"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// AuditReadsAll stores messages over two connections, and wants an audit to find each of
// them once, however often it is asked.
func AuditReadsAll(t testing.TB, f requester.Factory, n, size, audits int) {
	t.Helper()
	for number := range 2 {
		requestertest.Store(t, f, number, n, size)
	}
	for range audits {
		found := requestertest.Audited(t, f)
		if len(found) != 2*n {
			t.Errorf("%d different messages, want %d", len(found), 2*n)
		}
		for stamp, times := range found {
			if times != 1 {
				t.Fatalf("%+v is found %d times", stamp, times)
			}
		}
	}
}

// AuditMisses wants an audit to find once each of the n messages that Store sent over
// connection 0, but not those that are gone.
func AuditMisses(t testing.TB, f requester.Factory, n int, gone ...uint64) {
	t.Helper()
	found := requestertest.Audited(t, f)
	for seq := range uint64(n) {
		want := 1
		if slices.Contains(gone, seq) {
			want = 0
		}
		if got := found[requester.Stamp{Run: 1, Seq: seq}]; got != want {
			t.Errorf("message %d is found %d times, want %d", seq, got, want)
		}
	}
	if want := n - len(gone); len(found) != want {
		t.Errorf("%d messages, want %d", len(found), want)
	}
}
