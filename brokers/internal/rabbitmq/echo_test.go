package rabbitmq

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

func TestTwoHops(t *testing.T) {
	for _, options := range []string{"", "confirm=true&durable=true", "exchange=direct&prefetch=10", "separate-connections=true"} {
		t.Run(options, func(t *testing.T) {
			callers, far := brokertest.Twice(t, Open, brokertest.URL(t, "RABBITMQ"), options)
			brokertest.TwoHops(t, callers, far, 1024, options == "confirm=true&durable=true")
		})
	}
}

func TestAnAuditQueueHasNoEcho(t *testing.T) {
	f := brokertest.Opened(t, Open, "amqp://127.0.0.1:1", "durability=process")
	brokertest.NoEcho(t, f, "durability=process")
}
