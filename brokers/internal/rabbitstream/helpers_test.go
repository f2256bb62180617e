package rabbitstream

import (
	"context"
	"net/url"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

// Open returns the factory for the target at rawURL.
func Open(rawURL, run string) (*Factory, error) { return brokertest.Open(name, rawURL, run, New) }

// running returns a factory for the running broker.
func running(t testing.TB, options string) *Factory {
	t.Helper()
	return brokertest.Opened(t, Open, brokertest.URL(t, "RABBITMQ_STREAM"), options)
}

// changed returns the URL of the running broker after a change.
func changed(t testing.TB, change func(*url.URL)) string {
	t.Helper()
	return brokertest.Changed(t, brokertest.URL(t, "RABBITMQ_STREAM"), change)
}

// behind returns a factory for the running broker behind a proxy.
func behind(t testing.TB, options string) (*Factory, *relay.Relay) {
	t.Helper()
	return brokertest.Behind(t, Open, brokertest.URL(t, "RABBITMQ_STREAM"), "load-balancer=true&"+options)
}

// A tester is a [requestertest.Link], with the insides of its connection.
type tester struct {
	*requestertest.Link
	*conn
}

// connected makes and sets up a connection.
func connected(t testing.TB, f *Factory, number int) tester {
	t.Helper()
	l := requestertest.Connect(t, f, number)
	return tester{l, l.Requester.(*conn)}
}

// do calls what with an environment of its own.
func do(t testing.TB, what func(*stream.Environment) error) {
	t.Helper()
	if err := running(t, "").during(context.Background(), 0, what); err != nil {
		t.Fatal(err)
	}
}

// there asks the broker for a stream.
func there(t testing.TB, name string) (is bool) {
	t.Helper()
	do(t, func(env *stream.Environment) (err error) {
		is, err = env.StreamExists(name)
		return err
	})
	return is
}
