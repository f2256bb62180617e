package redis

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

// The server says that it is full, and closes the connection before the client has
// sent its first command.
func TestAFullServerIsNamed(t *testing.T) {
	b := serve(t, "--maxclients", "2")
	first := brokertest.Connect(t, openURL(t, b.url("", "")), 0)
	for range 30 {
		err := brokertest.NewLink(t, openURL(t, b.url("", "")), 1).Begin()
		brokertest.WantFault(t, err, "max number of clients reached", "raise the server's maxclients")
		if t.Failed() {
			t.Fatal(err)
		}
	}
	first.RoundTrips(t, 100)
}
