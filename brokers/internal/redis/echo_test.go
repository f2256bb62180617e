package redis

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

func TestTwoHops(t *testing.T) {
	for _, options := range []string{"", "protocol=3"} {
		callers, far := brokertest.Twice(t, Open, brokertest.URL(t, "REDIS"), options)
		brokertest.TwoHops(t, callers, far, 1024, false)
	}
}

func TestAStreamHasNoEcho(t *testing.T) {
	brokertest.NoEcho(t, brokertest.Opened(t, Open, "redis://127.0.0.1:1", "stream=group"), "stream=group")
}
