package nats

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

func TestTwoHops(t *testing.T) {
	targets(t, func(t *testing.T, url string) {
		callers, far := brokertest.Twice(t, Open, url, "")
		brokertest.TwoHops(t, callers, far, 1024, false)
	})
}

func TestAStreamHasNoEcho(t *testing.T) {
	brokertest.NoEcho(t, openURL(t, "nats://127.0.0.1:1?stream=file"), "stream=file")
}
