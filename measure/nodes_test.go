package measure

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/loopback"
	"github.com/brokerbench/brokerbench/results"
)

// fakeSystems start targets with a name that begins with own, and fail for one of them.
type fakeSystems struct{ happened []string }

func (*fakeSystems) Starts(t plan.Target) bool { return strings.HasPrefix(t.Name, "own") }

func (s *fakeSystems) Start(_ context.Context, t plan.Target) (Nodes, error) {
	s.happened = append(s.happened, "start "+t.Name)
	switch t.Name {
	case "own-broken":
		return nil, errDown
	case "own":
		return &fakeNodes{}, nil
	}
	return nil, nil
}

// fakeNodes use a millisecond from one sample to the next.
type fakeNodes struct{ samples int }

func (n *fakeNodes) Sample(rest func()) []results.NodeUsage {
	rest()
	if n.samples++; n.samples == 1 {
		return nil
	}
	return []results.NodeUsage{{Node: "1", Processes: 1, CPUNS: new(int64(time.Millisecond))}}
}

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
	if c := cells[0]; len(c.Nodes) != 1 || *c.Nodes[0].CPUNS == 0 || c.Cost == nil || c.Cost.Messages != 5 {
		t.Errorf("nodes %+v, cost %+v", c.Nodes, c.Cost)
	}
	if c := cells[1]; c.Nodes != nil || c.Cost != nil {
		t.Errorf("nobody knows the nodes of this one: %+v, %+v", c.Nodes, c.Cost)
	}
}

// The warm-up's interval ends some microseconds after the warm-up: it costs no message of the
// window, nor do the seconds after it.
func TestOnlyTheWindowCosts(t *testing.T) {
	w, err := newWatching(&fakeNodes{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.begin()
	at := []time.Duration{0, time.Second + 20*time.Microsecond, 2 * time.Second, 3*time.Second + time.Microsecond, 3*time.Second + 400*ms, 3*time.Second + 400*ms}
	for i, to := range at[1:] {
		w.take(at[i], to, func() {})
		w.keep(at[i], to, span{time.Second, 3 * time.Second})
	}
	c := results.Cell{Ledger: results.Ledger{Done: 100}}
	w.describe(&c)
	if *c.Nodes[0].CPUNS != int64(2*time.Millisecond) || c.Cost.WindowNS != int64(2*time.Second-19*time.Microsecond) || *c.Cost.NodesCPUNS != 20_000 {
		t.Errorf("nodes %+v, cost %+v", c.Nodes, c.Cost)
	}
}

// slowNodes take a while at first, to find out who they are. Between two samples they use a
// tenth of a core.
type slowNodes struct{ last time.Time }

func (n *slowNodes) Sample(func()) []results.NodeUsage {
	if n.last.IsZero() {
		time.Sleep(300 * ms)
	}
	used := int64(time.Since(n.last) / 10)
	n.last = time.Now()
	return []results.NodeUsage{{Node: "1", Processes: 1, CPUNS: &used}}
}

// However long the nodes take to be found, no message waits for it, and the time until the first
// one is due costs nothing.
func TestNodesAreFoundBeforeTheFirstMessageIsDue(t *testing.T) {
	cell := cellOf(100, time.Second)
	cell.Settings.Warmup = 0
	c := virtual(t, loopback.Config{}, cell, Options{Nodes: &slowNodes{}})
	if late := time.Duration(c.Lag.MaxNS); late > 10*ms {
		t.Errorf("a message was sent %v after it was due", late)
	}
	if len(c.Nodes) != 1 || *c.Nodes[0].CPUNS < int64(99*ms) || *c.Nodes[0].CPUNS > int64(103*ms) {
		t.Errorf("%+v, want 100 ms of CPU time", c.Nodes)
	}
}
