package nats

import (
	"fmt"
	"net"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/nats-io/nats-server/v2/server"
)

// Open returns the factory for the target at rawURL.
func Open(rawURL, run string) (*Factory, error) { return brokertest.Open("nats", rawURL, run, New) }

// A broker is a real NATS server in this process.
type broker struct {
	*server.Server
	port int
}

// serve starts a broker on a free loopback port, which ends with the test.
func serve(t testing.TB, configure func(*server.Options)) *broker {
	t.Helper()
	o := &server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true}
	if configure != nil {
		configure(o)
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(brokertest.Patience) {
		t.Fatal("the NATS server is not ready")
	}
	b := &broker{s, s.Addr().(*net.TCPAddr).Port}
	t.Cleanup(b.halt)
	return b
}

// halt stops the server and waits for its end. It may be called again.
func (b *broker) halt() {
	b.Shutdown()
	b.WaitForShutdown()
}

// url returns the server's URL, with what stands before the host and behind the
// port.
func (b *broker) url(user, options string) string {
	return fmt.Sprintf("nats://%s127.0.0.1:%d%s", user, b.port, options)
}

func openURL(t testing.TB, url string) *Factory {
	t.Helper()
	return brokertest.Opened(t, Open, url, "")
}

// open returns a factory for the server, with what stands before the host and
// behind the port.
func open(t testing.TB, b *broker, user, options string) *Factory {
	t.Helper()
	return openURL(t, b.url(user, options))
}

// targets runs f against the server of this process, and against the real ones
// that are given.
func targets(t *testing.T, f func(t *testing.T, url string)) {
	t.Run("library", func(t *testing.T) { f(t, serve(t, nil).ClientURL()) })
	t.Run("given", func(t *testing.T) { f(t, brokertest.URL(t, "NATS")) })
	t.Run("given TLS", func(t *testing.T) { f(t, brokertest.URL(t, "NATS_TLS")) })
}
