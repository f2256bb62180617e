package nats

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/nats-io/nats.go/jetstream"
)

// A stream that a killed run left is found and removed; another's is not touched.
func TestCleanFindsStreams(t *testing.T) {
	b := serveStreams(t, nil)
	f := open(t, b, "", "?stream=memory")
	err := f.withJetStream(t.Context(), func(js jetstream.JetStream) error {
		for _, config := range []jetstream.StreamConfig{f.streamConfig(), {Name: "brokerbench_mine", Subjects: []string{"mine"}}, {Name: "orders", Subjects: []string{"orders"}}} {
			if _, err := js.CreateStream(t.Context(), config); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	things, unseen, err := open(t, b, "", "").Find(t.Context(), requester.LeftoverQuery{})
	if err != nil || unseen != "" || len(things) != 1 || things[0].Kind != "stream" || leftover.Run(things[0].Name) != f.Run || things[0].Used.IsZero() || things[0].Busy != "" {
		t.Fatalf("%+v, %q, %v", things, unseen, err)
	}
	if errs := f.Remove(t.Context(), append(things, things[0])); errs[0] != nil || errs[1] != nil {
		t.Errorf("%v", errs)
	}
	if n := b.streams(t); n != 2 {
		t.Errorf("%d streams are left", n)
	}
}

func TestAStreamInUseIsBusy(t *testing.T) {
	b := serveStreams(t, nil)
	l := requestertest.Connect(t, open(t, b, "", "?stream=memory"), 0)
	things, _, err := open(t, b, "", "").Find(t.Context(), requester.LeftoverQuery{})
	if err != nil || len(things) != 1 || !strings.Contains(things[0].Busy, "consumers") {
		t.Errorf("%+v, %v", things, err)
	}
	l.End(t)
	if things, _, err := open(t, serve(t, nil), "", "").Find(t.Context(), requester.LeftoverQuery{}); err != nil || len(things) != 0 {
		t.Errorf("without JetStream: %+v, %v", things, err)
	}
}
