package kafka

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

func TestTwoHops(t *testing.T) {
	for _, options := range []string{"acks=0", "acks=all&partitions=2"} {
		t.Run(options, func(t *testing.T) {
			callers, far := brokertest.Twice(t, Open, brokertest.URL(t, "KAFKA"), options)
			brokertest.TwoHops(t, callers, far, 1024, options != "acks=0")
		})
	}
}

func TestTransactionsAndSharesHaveNoEcho(t *testing.T) {
	brokertest.NoEcho(t, brokertest.Opened(t, Open, "kafka://127.0.0.1:1", "transactions=each&acks=all&idempotent=true"), "transactions")
	brokertest.NoEcho(t, brokertest.Opened(t, Open, "kafka://127.0.0.1:1", "consumer=share"), "consumer=share")
}
