// Package brokertest finds the real brokers that tests run against.
package brokertest

import (
	"os"
	"testing"
)

// URL returns the URL of the running broker of that name (NATS, REDIS, RABBITMQ
// or KAFKA; with _TLS behind it, the one that wants TLS and a password) from
// BROKERBENCH_<name>_URL. Without one it skips the test, or fails it if
// BROKERBENCH_REQUIRE_BROKERS is 1. `make test` provides them all;
// `deploy/local/brokers up` does so by hand.
func URL(t testing.TB, name string) string {
	t.Helper()
	variable := "BROKERBENCH_" + name + "_URL"
	url := os.Getenv(variable)
	if url == "" && os.Getenv("BROKERBENCH_REQUIRE_BROKERS") == "1" {
		t.Fatalf("NO REAL BROKER: %s is not set, and all brokers are required", variable)
	}
	if url == "" {
		t.Skipf("NO REAL BROKER: %s is not set; see deploy/local/brokers", variable)
	}
	return url
}
