package brokertest

import (
	"net/url"
	"testing"

	"github.com/brokerbench/brokerbench/internal/leaf/linetest"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/requester"
)

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
func Behind[F requester.Factory](t testing.TB, open Open[F], rawURL, options string) (F, *relay.Relay) {
	t.Helper()
	r := linetest.Relay(t, relay.Options{Backend: HostOf(t, rawURL)})
	return Opened(t, open, Changed(t, rawURL, func(u *url.URL) { u.Host = r.Addr() }), options), r
}
