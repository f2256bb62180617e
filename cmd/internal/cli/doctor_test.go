package cli

import (
	"path/filepath"
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
	if e := decode[doctor.Examination](t, stdout); len(e.Findings) < 10 || len(e.Questions) != 8 {
		t.Errorf("%d findings, %d questions", len(e.Findings), len(e.Questions))
	}
	// More connections than any limit of open files allows.
	code, _, stderr = invoke("doctor", "--connections", "1000000", "--strict")
	wantCode(t, code, command.ExitError, stderr, "something is bad")
}

// Cells run one after the other: the most of each, not the sum.
func TestNeeds(t *testing.T) {
	p := plan.Plan{
		Targets: []plan.Target{{URL: "nats://h"}, {URL: "kafka://h1:9092,h2:9092"}},
		Shapes:  []plan.Shape{{Rate: 3000, Connections: 25, Size: 1024}, {Rate: 1000, Connections: 1, Size: 1 << 20}},
	}
	parsed := testbed.NewTargets(brokers.All())
	for _, target := range p.Targets {
		if _, err := parsed.Parse(target.URL); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := planning.Needs(p, parsed), (doctor.Needs{Connections: 25, Size: 1 << 20, Sockets: 4, Rate: 1000}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	data := t.TempDir()
	p.Targets[1].System = &plan.System{Nodes: []plan.Node{{Name: "1"}, {Name: "3", On: "ssh://h", Data: t.TempDir()}, {Name: "2", Data: filepath.Join(data, "not", "there"), Command: []string{"x"}}}}
	if got := planning.Needs(p, parsed).Data; got != data {
		t.Errorf("data below %s, want %s", got, data)
	}
	p.Targets = p.Targets[:1]
	if got := planning.Needs(p, parsed).Sockets; got != 0 {
		t.Errorf("NATS: %d sockets a connection, want the default", got)
	}
}
