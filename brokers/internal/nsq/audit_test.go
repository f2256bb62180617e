package nsq

import (
	"errors"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

func TestAuditReadsAll(t *testing.T) {
	for _, options := range []string{"audit-channel=true", "audit-channel=true&max-in-flight=2500"} {
		requestertest.AuditReadsAll(t, running(t, options), 5000, 100, 1)
	}
	requestertest.AuditReadsAll(t, running(t, "audit-channel=true"), 20_000, 100, 1) // more than nsqd keeps in memory
}

func TestAnAuditMissesWhatIsNotThere(t *testing.T) {
	f := running(t, "audit-channel=true")
	requestertest.Store(t, f, 0, 10, 100)
	brokertest.AuditMisses(t, f, 10)
}

func TestAnAuditWithoutAStore(t *testing.T) {
	f := running(t, "")
	if err := f.Audit(t.Context(), nil); !errors.Is(err, requester.ErrKeepsNothing) {
		t.Error(err)
	}
	f = running(t, "audit-channel=true")
	requestertest.Connect(t, f, 0)
	if err := f.remove(t.Context(), target.Name(f.Run, 0)); err != nil {
		t.Fatal(err)
	}
	if err := f.Audit(t.Context(), func([]byte) {}); !errors.Is(err, requester.ErrStoreGone) {
		t.Error(err)
	}
}

func TestSweep(t *testing.T) {
	f := running(t, "")
	requestertest.Connect(t, f, 0)
	q := requester.LeftoverQuery{Run: f.Run}
	found, unseen, err := f.Find(t.Context(), q)
	if err != nil || unseen != "" || len(found) != 1 || found[0].Name != target.Name(f.Run, 0) || found[0].Busy == "" {
		t.Errorf("%+v, %q, %v", found, unseen, err)
	}
	for _, err := range f.Remove(t.Context(), found) {
		if err != nil {
			t.Error(err)
		}
	}
	if hasTopic(t, f, target.Name(f.Run, 0)) {
		t.Error("not removed")
	}
	brokertest.WantError(t, f.Explain("x", f.create(t.Context(), f.add("brokerbench.x y"))), "INVALID_TOPIC")
}
