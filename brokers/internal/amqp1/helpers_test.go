package amqp1

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// Open returns the factory for the target at rawURL.
func Open(rawURL, run string) (*Factory, error) { return brokertest.Open("amqp1", rawURL, run, New) }

// running returns the URL of the running RabbitMQ 4, or of one of its variants, such as
// RABBITMQ4_TLS.
func runningURL(t testing.TB, name string) string {
	t.Helper()
	over091 := brokertest.NewerURL(t, name)
	return strings.Replace(strings.Replace(over091, "amqps://", "amqp1s://", 1), "amqp://", "amqp1://", 1)
}

// running returns a factory for the running broker.
func running(t testing.TB, options string) *Factory {
	t.Helper()
	return factory(t, runningURL(t, "RABBITMQ4"), options)
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
	return brokertest.Behind(t, Open, runningURL(t, "RABBITMQ4"), options)
}

// through connects to the running broker behind a proxy.
func through(t testing.TB, options string) (*tester, *relay.Relay) {
	t.Helper()
	f, p := behind(t, options)
	return connected(t, f, 0), p
}

// asked asks the management node of the running broker, over a connection of its own.
func asked(t testing.TB, method, path string) error {
	t.Helper()
	c, err := running(t, "").dial(t.Context(), 0, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	return c.manage(t.Context(), func(n *node) error { return n.ask(t.Context(), method, path, nil) })
}

// hasQueue asks the broker for a queue.
func hasQueue(t testing.TB, name string) bool {
	t.Helper()
	err := asked(t, "GET", queuePath(name))
	if err != nil && !strings.Contains(err.Error(), "status 404") {
		t.Fatal(err)
	}
	return err == nil
}

// deleteQueue deletes the queue of a connection.
func deleteQueue(t testing.TB, name string) {
	t.Helper()
	if err := asked(t, "DELETE", queuePath(name)); err != nil {
		t.Fatal(err)
	}
}
