package nats

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats-server/v2/server"
)

func TestMessagesHaveHeaders(t *testing.T) {
	b := serve(t, func(o *server.Options) { o.JetStream, o.StoreDir = true, t.TempDir() })
	for _, query := range []string{"", "?stream=memory", "?stream=memory&consumer=push", "?stream=memory&consumer=pull", "?stream=memory&consumer=ordered"} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			brokertest.Headers(t, open(t, b, "", query))
		})
	}
}

// The server gets the content alone, and the stamp as a header.
func TestTheMessageOfAPayload(t *testing.T) {
	c := &conn{factory: &Factory{headers: requester.Headers{Stamp: true, Fixed: brokertest.Fixed()}}}
	m := c.message(brokertest.Payload())
	brokertest.WantMessage(t, m.Data, m.Header.Get)
	c.factory.headers = requester.Headers{}
	if m := c.message(brokertest.Payload()); m.Header != nil || len(m.Data) != len(brokertest.Payload()) {
		t.Errorf("without headers: %v, %q", m.Header, m.Data)
	}
}
