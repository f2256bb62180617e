// Package brokertest is what only the tests of the brokers share: it finds the real brokers, puts
// proxies and servers that misbehave in their place, and checks what package target promises. The
// checks that every requester has to pass are in requester/requestertest.
package brokertest

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/internal/leaf/linetest"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/requester"
)

// Patience is how long anything may take before a test gives up on it.
const Patience = 30 * time.Second

// Open parses a URL for the function New of a broker's package.
func Open[F any](broker, url, run string, factory func(t target.Target, run string) (F, error)) (f F, err error) {
	t, err := target.Parse(url)
	if err != nil {
		return f, fmt.Errorf("%s: %w", broker, err)
	}
	return factory(t, run)
}

// An Opener makes a factory for a URL and a run.
type Opener[F requester.Factory] = func(url, run string) (F, error)

// URL returns the URL of the running broker of that name (NATS, REDIS, RABBITMQ,
// KAFKA or MQTT; with _TLS behind it, the one that wants TLS and a password) from
// BROKERBENCH_<name>_URL. Without one it skips the test, or fails it if
// BROKERBENCH_REQUIRE_BROKERS is 1. `make test` provides them all;
// `deploy/local/brokers up` does so by hand. It is without the option management, which some tests add.
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
	if at, _, found := strings.Cut(url, "?management="); found {
		return at
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
func Opened[F requester.Factory](t testing.TB, open Opener[F], url, options string) F {
	t.Helper()
	return opened(t, open, url, options, newRun())
}

// Twice returns two factories for the same URL and the same run, which no other test has.
func Twice[F requester.Factory](t testing.TB, open Opener[F], url, options string) (one, other F) {
	t.Helper()
	run := newRun()
	return opened(t, open, url, options, run), opened(t, open, url, options, run)
}

func newRun() string { return fmt.Sprintf("test-%x", time.Now().UnixNano()) }

func opened[F requester.Factory](t testing.TB, open Opener[F], url, options, run string) F {
	t.Helper()
	f, err := open(With(url, options), run)
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

// Changed returns a URL after a change.
func Changed(t testing.TB, rawURL string, change func(*url.URL)) string {
	t.Helper()
	u, err := url.Parse(rawURL)
	if err != nil {
		t.Fatal(err)
	}
	change(u)
	return u.String()
}

// HostOf returns the host and port of a URL.
func HostOf(t testing.TB, rawURL string) (host string) {
	t.Helper()
	Changed(t, rawURL, func(u *url.URL) { host = u.Host })
	return host
}

// Behind returns a factory for the broker at a URL behind a relay, with options added.
func Behind[F requester.Factory](t testing.TB, open Opener[F], rawURL, options string) (F, *relay.Relay) {
	t.Helper()
	r := linetest.Relay(t, relay.Options{Backend: HostOf(t, rawURL)})
	return Opened(t, open, Changed(t, rawURL, func(u *url.URL) { u.Host = r.Addr() }), options), r
}
