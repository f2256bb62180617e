package mqtt

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

func TestTwoHops(t *testing.T) {
	for _, options := range []string{"", "qos=1", "qos=2"} {
		t.Run(options, func(t *testing.T) {
			callers, far := brokertest.Twice(t, Open, brokertest.URL(t, "MQTT"), options)
			brokertest.TwoHops(t, callers, far, 1024, options != "")
		})
	}
}

func TestAnAuditSessionHasNoEcho(t *testing.T) {
	brokertest.NoEcho(t, brokertest.Opened(t, Open, "mqtt://127.0.0.1:1", "qos=1&audit-session=true"), "audit-session=true")
}
