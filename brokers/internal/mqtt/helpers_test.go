package mqtt

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// Open returns the factory for the target at rawURL.
func Open(rawURL, run string) (*Factory, error) { return brokertest.Open("mqtt", rawURL, run, New) }

// running returns a factory for the running broker.
func running(t testing.TB, options string) *Factory {
	t.Helper()
	return factory(t, brokertest.URL(t, "MQTT"), options)
}

// factory returns a factory for a URL, with the options added to it.
func factory(t testing.TB, rawURL, options string) *Factory {
	t.Helper()
	return brokertest.Opened(t, Open, rawURL, options)
}

// A tester is a [requestertest.Link], with the insides of its connection.
type tester struct {
	*requestertest.Link
	*conn
}

// inside returns a connection with its insides.
func inside(l *requestertest.Link) *tester {
	return &tester{l, l.Requester.(*conn)}
}

// connected makes and sets up a connection.
func connected(t testing.TB, f *Factory, number int) *tester {
	t.Helper()
	return inside(requestertest.Connect(t, f, number))
}

// behind returns a factory for the running broker behind a proxy.
func behind(t testing.TB, options string) (*Factory, *relay.Relay) {
	t.Helper()
	return brokertest.Behind(t, Open, brokertest.URL(t, "MQTT"), options)
}

// through connects to the running broker behind a proxy.
func through(t testing.TB, options string) (*tester, *relay.Relay) {
	t.Helper()
	f, p := behind(t, options)
	return connected(t, f, 0), p
}

// hasSession asks the broker for the session of an audit.
func hasSession(t testing.TB, f *Factory, number int) bool {
	t.Helper()
	there, err := f.there(t.Context(), auditID(f.Run, number))
	if err != nil {
		t.Fatal(err)
	}
	return there
}
