package mqtt

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// cell returns a cell of a run that nobody else has.
func cell() string { return fmt.Sprintf("20200101t000000-%08x-0", uint32(time.Now().UnixNano())) }

// A session that is left is found by its name and removed, with what is in it untouched until then.
func TestFindAndRemove(t *testing.T) {
	url := brokertest.URL(t, "MQTT")
	f, err := Open(url+"?qos=1&audit-session=true", cell())
	if err != nil {
		t.Fatal(err)
	}
	requestertest.Store(t, f, 0, 10, 100)
	clean := running(t, "")
	for range 2 { // looking takes nothing
		things, unseen, err := clean.Find(t.Context(), requester.LeftoverQuery{Run: f.Run})
		if err != nil || len(things) != 1 || things[0].Name != auditID(f.Run, 0) || things[0].Busy != "" || !strings.Contains(unseen, f.Run) {
			t.Fatalf("%+v, %q, %v", things, unseen, err)
		}
	}
	brokertest.AuditMisses(t, f, 10)
	things, _, _ := clean.Find(t.Context(), requester.LeftoverQuery{Run: f.Run})
	if errs := clean.Remove(t.Context(), things); len(errs) != 1 || errs[0] != nil {
		t.Error(errs)
	}
	if hasSession(t, f, 0) {
		t.Error("it is still there")
	}
	if things, _, err := clean.Find(t.Context(), requester.LeftoverQuery{Run: f.Run}); err != nil || len(things) > 0 {
		t.Errorf("%v, %v", things, err)
	}
}

func TestARunThatSendsIsBusy(t *testing.T) {
	f, err := Open(brokertest.URL(t, "MQTT")+"?qos=1&audit-session=true", cell())
	if err != nil {
		t.Fatal(err)
	}
	l := connected(t, f, 0)
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for seq := uint64(0); ; seq++ {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				_ = l.Link.Request(t.Context(), requestertest.Payload(0, seq, 64))
			}
		}
	}()
	things, _, err := running(t, "").Find(t.Context(), requester.LeftoverQuery{Run: f.Run})
	if err != nil || len(things) != 1 || things[0].Busy == "" {
		t.Errorf("%+v, %v", things, err)
	}
}

func TestWithoutARunNothingIsFound(t *testing.T) {
	things, unseen, err := running(t, "").Find(t.Context(), requester.LeftoverQuery{})
	if err != nil || len(things) > 0 || !strings.Contains(unseen, "--only") {
		t.Errorf("%v, %q, %v", things, unseen, err)
	}
	_, _, err = factory(t, "mqtt://u:geheim@"+brokertest.Refusing(t), "").Find(t.Context(), requester.LeftoverQuery{})
	brokertest.WantFault(t, err, "connecting", "start the broker")
}

// A session that somebody has made under our name is not ours: it is left alone.
func TestASessionThatIsThereIsNotTouched(t *testing.T) {
	f := running(t, "qos=1&audit-session=true")
	other, err := f.New(0, requester.Replies(nil))
	if err == nil {
		err = other.(*conn).makeSession(t.Context(), other.(*conn).Shared)
	}
	if err != nil {
		t.Fatal(err)
	}
	l := inside(requestertest.NewLink(t, f, 0))
	brokertest.WantFault(t, l.Begin(), "making the session", "another run has this name", "run again")
	l.End(t)
	if !hasSession(t, f, 0) || len(l.Left()) > 0 {
		t.Errorf("it is gone, or said to be ours: %v", l.Left())
	}
	if err := f.remove(t.Context(), auditID(f.Run, 0)); err != nil {
		t.Error(err)
	}
}
