// Package longtest decides which tests only the suite `long` of `make test-all` runs. For each of them `make test` has a
// shorter one that covers the same code.
package longtest

import (
	"os"
	"testing"
)

// Wanted reports whether long tests run: BROKERBENCH_LONG is 1.
func Wanted() bool { return os.Getenv("BROKERBENCH_LONG") == "1" }

// Only skips a test unless long tests run.
func Only(t testing.TB) {
	t.Helper()
	if !Wanted() {
		t.Skip("only in the suite long: deploy/local/test-all long")
	}
}
