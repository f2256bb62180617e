package mqtt

import (
	"bytes"
	"strings"
	"testing"

	"github.com/eclipse/paho.golang/paho"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
)

func TestMessagesHaveHeaders(t *testing.T) {
	for _, options := range []string{"", "qos=1", "qos=2", "qos=1&audit-session=true"} {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			brokertest.Headers(t, running(t, options))
		})
	}
}

func TestHeadersThatAreTooLong(t *testing.T) {
	long := requester.Header{Name: "a", Value: strings.Repeat("a", 1<<16)}
	err := requester.Carry(factory(t, "mqtt://h", ""), requester.Headers{Fixed: []requester.Header{long}})
	brokertest.WantError(t, err, "a header of 65536 B is longer than the 65535 B that MQTT allows")
}

// The broker gets the content alone, and the stamp as a user property.
func TestTheMessageOfAPayload(t *testing.T) {
	m := new(paho.Publish)
	dress(m, requester.Headers{Stamp: true, Fixed: brokertest.Fixed()}, brokertest.Payload())
	brokertest.WantMessage(t, m.Payload, m.Properties.User.Get)
	if got := requester.Join(nil, stampOf(m), m.Payload); !bytes.Equal(got, brokertest.Payload()) {
		t.Errorf("delivered: %q", got)
	}
	if got := headOf(m.Packet()); !bytes.Equal(got, brokertest.Payload()[:requester.StampSize]) {
		t.Errorf("head: %q", got)
	}
	dress(m, requester.Headers{}, brokertest.Payload())
	if m.Properties != nil || !bytes.Equal(m.Payload, brokertest.Payload()) {
		t.Errorf("without headers: %v, %q", m.Properties, m.Payload)
	}
}

func TestMessagesHaveNoKeys(t *testing.T) {
	brokertest.WantNoKeys(t, factory(t, "mqtt://h", ""), requester.Topology{}, "messages of MQTT have no keys")
}
