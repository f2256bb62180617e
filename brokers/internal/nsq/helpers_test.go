package nsq

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// Open returns the factory for the target at rawURL.
func Open(rawURL, run string) (*Factory, error) { return brokertest.Open("nsq", rawURL, run, New) }

// running returns a factory for the running nsqd.
func running(t testing.TB, options string) *Factory {
	t.Helper()
	return factory(t, brokertest.URL(t, "NSQ"), options)
}

// factory returns a factory for a URL, with the options added to it.
func factory(t testing.TB, rawURL, options string) *Factory {
	t.Helper()
	return brokertest.Opened(t, Open, rawURL, options)
}

// through connects to the running nsqd behind a proxy, which HTTP does not go through.
func through(t testing.TB, options string) (*requestertest.Link, *relay.Relay) {
	t.Helper()
	f, p := behind(t, options)
	return requestertest.Connect(t, f, 0), p
}

// behind returns a factory for the running nsqd behind a proxy.
func behind(t testing.TB, options string) (*Factory, *relay.Relay) {
	t.Helper()
	return brokertest.Behind(t, Open, brokertest.URL(t, "NSQ"), options)
}

// hasTopic asks nsqd for the topic of a connection.
func hasTopic(t testing.TB, f *Factory, name string) bool {
	t.Helper()
	topics, err := f.stats(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return len(topics) > 0
}
