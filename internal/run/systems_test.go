package run

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
)

// A system is started before each cell and not asked before; one that does not start is the
// error of its own cells.
func TestSystemsAreStartedBeforeTheirCells(t *testing.T) {
	p := plan.Plan{
		Targets:  []plan.Target{{Name: "own", URL: "loopback:"}, {Name: "own-broken", URL: "x://h"}, {Name: "there", URL: "loopback:"}},
		Shapes:   []plan.Shape{{Rate: 100, Size: 64, Connections: 1}},
		Settings: plan.Settings{Duration: 50 * ms, Timeout: time.Second},
	}
	systems := new(fakeSystems)
	r := Runner{
		Systems: systems,
		Open: func(t plan.Target, _ string) (requester.Factory, error) {
			systems.happened = append(systems.happened, "open "+t.Name)
			return loopback.New(loopback.Config{})
		},
	}
	run, cells, _, err := r.Run(t.Context(), p)
	want := "open there; start own; open own; start own-broken; start there; open there"
	if got := strings.Join(systems.happened, "; "); got != want {
		t.Errorf("happened: %s\nwant: %s", got, want)
	}
	if !errors.Is(err, errDown) || len(cells) != 2 || run.Cells[1].Error != errDown.Error() {
		t.Fatalf("%d cells, %v", len(cells), err)
	}
	if k := cells[0].Broker.Kernel; k == nil || *k != farKernel || cells[1].Broker.Kernel != nil {
		t.Errorf("kernels %v, %v, want %s and none", k, cells[1].Broker.Kernel, farKernel)
	}
	if c := cells[0]; len(c.Nodes) != 1 || *c.Nodes[0].CPUNS == 0 || c.Cost == nil || c.Cost.Messages != 5 {
		t.Errorf("nodes %+v, cost %+v", c.Nodes, c.Cost)
	}
	if c := cells[1]; c.Nodes != nil || c.Cost != nil {
		t.Errorf("nobody knows the nodes of this one: %+v, %+v", c.Nodes, c.Cost)
	}
}

// fakeSystems start targets with a name that begins with own, and fail for one of them.
type fakeSystems struct{ happened []string }

func (*fakeSystems) Starts(t plan.Target) bool { return strings.HasPrefix(t.Name, "own") }

func (s *fakeSystems) Start(_ context.Context, t plan.Target) (measure.Nodes, error) {
	s.happened = append(s.happened, "start "+t.Name)
	switch t.Name {
	case "own-broken":
		return nil, errDown
	case "own":
		return &busyNode{}, nil
	}
	return nil, nil
}
