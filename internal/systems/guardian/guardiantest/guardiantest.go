// Package guardiantest has a guardian for tests. The test binary must be one itself: its TestMain
// calls guardian.Serve.
package guardiantest

import (
	"testing"

	"github.com/brokerbench/brokerbench/internal/systems/guardian"
)

// Start starts a guardian for the length of a test. The test fails if an undo fails at its end.
func Start(tb testing.TB) *guardian.Guardian {
	tb.Helper()
	g, err := guardian.Start()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := g.Close(); err != nil {
			tb.Error(err)
		}
	})
	return g
}
