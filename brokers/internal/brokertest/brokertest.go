// Package brokertest is what the tests of the brokers share: it finds the
// real brokers, makes connections to try, and holds the tests that every broker
// has to pass.
package brokertest

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

// Patience is how long anything may take before a test gives up on it.
const Patience = 30 * time.Second

// Open is the function of that name of a broker's package.
type Open[F requester.Factory] = func(url, run string) (F, error)

// URL returns the URL of the running broker of that name (NATS, REDIS, RABBITMQ,
// KAFKA or MQTT; with _TLS behind it, the one that wants TLS and a password) from
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

// NewerURL is URL for a broker that `make test` does not provide. Without one it skips the
// test.
func NewerURL(t testing.TB, name string) string {
	t.Helper()
	if os.Getenv("BROKERBENCH_"+name+"_URL") == "" {
		t.Skipf("NO REAL BROKER: `deploy/local/with %s -- go test` provides it", strings.ToLower(name))
	}
	return URL(t, name)
}

// Opened returns a factory for a URL, with options added to it, and for a run
// that no other test has.
func Opened[F requester.Factory](t testing.TB, open Open[F], url, options string) F {
	t.Helper()
	f, err := open(With(url, options), fmt.Sprintf("test-%x", time.Now().UnixNano()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// With adds options to a URL that may have some.
func With(url, options string) string {
	switch {
	case options == "":
		return url
	case strings.Contains(url, "?"):
		return url + "&" + options
	}
	return url + "?" + options
}
