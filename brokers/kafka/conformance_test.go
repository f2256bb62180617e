package kafka

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

func TestConformance(t *testing.T) {
	f, err := Open(brokertest.URL(t, "KAFKA"), newRun())
	if err != nil {
		t.Fatal(err)
	}
	requestertest.Run(t, f)
}
