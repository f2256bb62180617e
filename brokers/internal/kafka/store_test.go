package kafka

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

func TestAStoreIsFilled(t *testing.T) {
	for _, options := range []string{"acks=1", "acks=all&partitions=2"} {
		t.Run(options, func(t *testing.T) {
			brokertest.Filled(t, Open, brokertest.URL(t, "KAFKA"), options)
		})
	}
}
