package brokertest

import (
	"testing"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// A Link is a connection under test.
type Link = requestertest.Link

// NewLink is [requestertest.NewLink].
func NewLink(t testing.TB, f requester.Factory, number int) *Link {
	t.Helper()
	return requestertest.NewLink(t, f, number)
}

// Connect is [requestertest.Connect].
func Connect(t testing.TB, f requester.Factory, number int) *Link {
	t.Helper()
	return requestertest.Connect(t, f, number)
}

// Payload is [requestertest.Payload].
func Payload(conn uint32, seq uint64, size int) []byte { return requestertest.Payload(conn, seq, size) }

// Until is [requestertest.Until].
func Until(t testing.TB, what string, condition func() bool) {
	t.Helper()
	requestertest.Until(t, what, condition)
}

// ConnectionsDoNotCross is [requestertest.ConnectionsDoNotCross].
func ConnectionsDoNotCross(t *testing.T, f requester.Factory, connections int) []*Link {
	t.Helper()
	return requestertest.ConnectionsDoNotCross(t, f, connections)
}

// NoGoroutines is [requestertest.NoGoroutines].
func NoGoroutines(t *testing.T, before int) {
	t.Helper()
	requestertest.NoGoroutines(t, before)
}

// EachIsAcknowledged is [requestertest.EachIsAcknowledged].
func EachIsAcknowledged(t *testing.T, f requester.Factory, none bool) {
	t.Helper()
	requestertest.EachIsAcknowledged(t, f, none)
}

// Store is [requestertest.Store].
func Store(t testing.TB, f requester.Factory, number, n, size int) *Link {
	t.Helper()
	return requestertest.Store(t, f, number, n, size)
}

// Audited is [requestertest.Audited].
func Audited(t testing.TB, f requester.Factory) map[requester.Stamp]int {
	t.Helper()
	return requestertest.Audited(t, f)
}

// AuditReadsAll is [requestertest.AuditReadsAll].
func AuditReadsAll(t testing.TB, f requester.Factory, n, size, audits int) {
	t.Helper()
	requestertest.AuditReadsAll(t, f, n, size, audits)
}

// AuditMisses is [requestertest.AuditMisses].
func AuditMisses(t testing.TB, f requester.Factory, n int, gone ...uint64) {
	t.Helper()
	requestertest.AuditMisses(t, f, n, gone...)
}

// EachIsDeliveredOrKept is [requestertest.EachIsDeliveredOrKept].
func EachIsDeliveredOrKept(t *testing.T, f requester.Factory, n int) {
	t.Helper()
	requestertest.EachIsDeliveredOrKept(t, f, n)
}
