package brokertest

import (
	"testing"

	"github.com/brokerbench/brokerbench/internal/leaf/longtest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// Kinds runs the conformance suite with some of several options: see [Each].
func Kinds[F requester.Factory](t *testing.T, kinds []string, open func(t testing.TB, options string) F) {
	t.Helper()
	Each(t, kinds, func(t *testing.T, options string) { requestertest.Run(t, open(t, options)) })
}

// Each runs a test with the first and the last of several options, and in the suite `long` with all.
func Each(t *testing.T, kinds []string, test func(t *testing.T, options string)) {
	t.Helper()
	for i, options := range kinds {
		t.Run(options, func(t *testing.T) {
			if i > 0 && i < len(kinds)-1 {
				longtest.Only(t)
			}
			test(t, options)
		})
	}
}

// TLS has messages go through an encrypted connection, and runs the conformance suite over it in the suite `long`.
func TLS(t *testing.T, f requester.Factory) {
	t.Helper()
	t.Run("TLS", func(t *testing.T) {
		if longtest.Wanted() {
			requestertest.Run(t, f)
			return
		}
		l := requestertest.Connect(t, f, 0)
		l.RoundTrips(t, 16, 1<<10, 200_000)
		l.End(t)
	})
}
