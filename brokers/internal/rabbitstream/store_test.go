package rabbitstream

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

func TestAStoreIsFilled(t *testing.T) {
	brokertest.Filled(t, Open, brokertest.URL(t, "RABBITMQ_STREAM"), "credits=1000")
}
