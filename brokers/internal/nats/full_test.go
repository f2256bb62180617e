package nats

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/nats-io/nats-server/v2/server"
)

// The server says that it is full and closes the connection, while the client
// writes its first command or begins TLS.
func TestAFullServerIsNamed(t *testing.T) {
	full := func(o *server.Options) { o.MaxConn = 1 }
	plain := serve(t, full)
	secured, ca := serveTLS(t, full)
	for name, url := range map[string]string{"plain": plain.url("", ""), "TLS": secured.secure("tls", "u:richtig@", "?tls-ca="+ca)} {
		t.Run(name, func(t *testing.T) {
			f := openURL(t, url)
			first := requestertest.Connect(t, f, 0)
			for range 30 {
				err := requestertest.NewLink(t, f, 1).Begin()
				brokertest.WantFault(t, err, "maximum connections exceeded", "raise max_connections")
				if t.Failed() {
					t.Fatal(err)
				}
			}
			first.RoundTrips(t, 100)
		})
	}
}
