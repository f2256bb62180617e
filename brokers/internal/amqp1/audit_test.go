package amqp1

import (
	"errors"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

func TestAuditExplains(t *testing.T) {
	for _, options := range []string{"", "confirm=true", "durable=true"} {
		f := running(t, options)
		if err := f.Audit(t.Context(), nil); !errors.Is(err, requester.ErrKeepsNothing) || f.Store().Consuming {
			t.Errorf("%q: %v, %v", options, err, f.Store().Consuming)
		}
	}
	f := running(t, "durable=true&confirm=true&reconnect-wait=1m")
	connected(t, f, 0)
	deleteQueue(t, f.Queue(0))
	if err := f.Audit(t.Context(), nil); !errors.Is(err, requester.ErrStoreGone) {
		t.Errorf("without its queue: %v", err)
	}
	gone := factory(t, "amqp1://127.0.0.1:1", "durable=true&confirm=true")
	brokertest.WantFault(t, gone.Audit(t.Context(), nil), "start the broker")
}

// Each message that was confirmed is in the audit queue, although it was delivered.
func TestALevelKeepsWhatWasDelivered(t *testing.T) {
	for _, level := range []string{"accepted", "machine"} {
		requestertest.AuditReadsAll(t, running(t, "durability="+level+"&durability-check=false"), 1000, 100, 1)
	}
}
