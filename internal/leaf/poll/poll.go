// Package poll waits in tests for what other processes do, and others that send no event.
package poll

import (
	"testing"
	"time"
)

// pause is the time between two looks.
const pause = 2 * time.Millisecond

// Until looks again and again until a condition holds. The test ends if it does not within a time.
func Until(t testing.TB, within time.Duration, holds func() bool, format string, args ...any) {
	t.Helper()
	for deadline := time.Now().Add(within); !holds(); time.Sleep(pause) {
		if time.Now().After(deadline) {
			t.Fatalf(format, args...)
		}
	}
}
