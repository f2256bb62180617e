package cli

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/cmd/internal/planning"
	"github.com/brokerbench/brokerbench/internal/machine/doctor"
	"github.com/brokerbench/brokerbench/internal/run/testbed"
	"github.com/brokerbench/brokerbench/plan"
)

func TestDoctor(t *testing.T) {
	code, stdout, stderr := invoke("doctor", "--connections", "1,3", "--format", "json")
	wantCode(t, code, command.ExitGood, stderr)
	if findings := decode[[]doctor.Finding](t, stdout); len(findings) < 10 {
		t.Errorf("%d findings", len(findings))
	}
	// More connections than any limit of open files allows.
	code, _, stderr = invoke("doctor", "--connections", "1000000", "--strict")
	wantCode(t, code, command.ExitError, stderr, "something is bad")
}

// Cells run one after the other: the most of each, not the sum.
func TestNeeds(t *testing.T) {
	p := plan.Plan{
		Targets: []plan.Target{{URL: "nats://h"}, {URL: "kafka://h1:9092,h2:9092"}},
		Shapes:  []plan.Shape{{Connections: 25, Size: 1024}, {Connections: 1, Size: 1 << 20}},
	}
	parsed := testbed.NewTargets(brokers.All())
	for _, target := range p.Targets {
		if _, err := parsed.Parse(target.URL); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := planning.Needs(p, parsed), (doctor.Needs{Connections: 25, Size: 1 << 20, Sockets: 4}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	p.Targets = p.Targets[:1]
	if got := planning.Needs(p, parsed).Sockets; got != 0 {
		t.Errorf("NATS: %d sockets a connection, want the default", got)
	}
}
