package rabbitstream

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

// A stream that a killed run left is found with the management API, and by its name without.
func TestWhatIsLeftIsFoundAndRemoved(t *testing.T) {
	const run = "20200101t000000-0000abcd"
	f := running(t, "")
	name := fmt.Sprintf("brokerbench.%s-3.1", run)
	do(t, func(env *stream.Environment) error { return env.DeclareStream(name, nil) })
	t.Cleanup(func() { do(t, func(env *stream.Environment) error { return remove(env, name) }) })
	away := "http://" + brokertest.Refusing(t)
	for api, unseen := range map[string]string{brokertest.URL(t, "RABBITMQ_MANAGEMENT"): "", away: "cells 0 to 11"} {
		if api != away { // it says no user in the URL
			api = "http://" + api[strings.Index(api, "@")+1:]
		}
		things, said, err := f.Find(t.Context(), requester.LeftoverQuery{Run: run, Management: api})
		if err != nil || len(things) != 1 || things[0].Name != name || things[0].Kind != "stream" || !strings.Contains(said, unseen) {
			t.Errorf("%s: %+v, %s, %v", api, things, said, err)
		}
	}
	if _, said, err := f.Find(t.Context(), requester.LeftoverQuery{Management: away}); err != nil || !strings.Contains(said, "--management") {
		t.Errorf("%s, %v", said, err)
	}
	for range 2 { // the second time it is gone
		if errs := f.Remove(t.Context(), []requester.Leftover{{Kind: "stream", Name: name}}); errs[0] != nil {
			t.Error(errs)
		}
	}
	if there(t, name) {
		t.Error("it is still there")
	}
}
