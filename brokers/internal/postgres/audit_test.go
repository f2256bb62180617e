package postgres

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

func TestAuditReadsAll(t *testing.T) {
	requestertest.AuditReadsAll(t, running(t, "audit-table=true"), 2000, 100, 2)
	requestertest.AuditReadsAll(t, running(t, "audit-table=true&send-batch=100&poll=5ms"), 2000, 100, 2)
}

func TestAnAuditMissesWhatIsNotThere(t *testing.T) {
	f := running(t, "audit-table=true")
	requestertest.Store(t, f, 0, 10, 100)
	brokertest.AuditMisses(t, f, 10)
	execute(t, "DELETE FROM "+quote(target.Name(f.Run, 0)+".audit")+" WHERE payload = '\\x"+fmt.Sprintf("%x", requestertest.Payload(0, 3, 100))+"'")
	brokertest.AuditMisses(t, f, 10, 3)
}

func TestAnAuditWithoutAStore(t *testing.T) {
	if err := running(t, "").Audit(t.Context(), nil); !errors.Is(err, requester.ErrKeepsNothing) {
		t.Error(err)
	}
	f := running(t, "audit-table=true")
	requestertest.Connect(t, f, 0)
	if err := f.drop(t.Context(), target.Name(f.Run, 0)); err != nil {
		t.Fatal(err)
	}
	if err := f.Audit(t.Context(), func([]byte) {}); !errors.Is(err, requester.ErrStoreGone) {
		t.Error(err)
	}
}

// Tables that are left are found, and removed, once nobody is connected.
func TestSweep(t *testing.T) {
	run := fmt.Sprintf("20200101t000000-%08x-0", uint32(time.Now().UnixNano()))
	f, err := Open(brokertest.URL(t, "POSTGRES")+"?audit-table=true", run)
	if err != nil {
		t.Fatal(err)
	}
	l := requestertest.Connect(t, f, 0)
	q := requester.LeftoverQuery{Run: run}
	clean := running(t, "")
	found, unseen, err := clean.Find(t.Context(), q)
	name := target.Name(run, 0)
	if err != nil || unseen != "" || len(found) != 2 || found[0].Name != name || found[1].Name != name+".audit" || found[0].Busy == "" || found[1].Busy == "" {
		t.Fatalf("%+v, %q, %v", found, unseen, err)
	}
	l.Requester.(*conn).Finish(t.Context()) // which leaves its tables
	if found, _, err = clean.Find(t.Context(), q); err != nil || len(found) != 2 || found[0].Busy != "" {
		t.Fatalf("%+v, %v", found, err)
	}
	for _, err := range clean.Remove(t.Context(), found) {
		if err != nil {
			t.Error(err)
		}
	}
	if n := tablesOf(t, f); n != 0 {
		t.Errorf("%d are left", n)
	}
}
