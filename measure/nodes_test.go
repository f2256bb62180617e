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
	w.begin(time.Now())
	at := []time.Duration{0, time.Second + 20*time.Microsecond, 2 * time.Second, 3*time.Second + time.Microsecond, 3*time.Second + 400*ms, 3*time.Second + 400*ms}
	for i, to := range at[1:] {
		w.take(at[i], to, func() {})
		w.keep(at[i], to, span{time.Second, 3 * time.Second})
	}
	c := results.Cell{Ledger: results.Ledger{Done: 100}}
	w.describe(&c, nil)
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

// dyingNodes are two nodes, of which the second has no process in some samples.
type dyingNodes struct {
	samples int
	dead    map[int]bool
}

func (n *dyingNodes) Sample(func()) []results.NodeUsage {
	if n.samples++; n.samples == 1 {
		return nil
	}
	second := results.NodeUsage{Node: "2", Processes: 1, CPUNS: new(int64)}
	if n.dead[n.samples-2] {
		second.Processes = 0
	}
	return []results.NodeUsage{{Node: "1", Processes: 1, CPUNS: new(int64)}, second}
}

// A node that ends by itself is named; one that a fault has ended, or that was not there at first, is not.
func TestANodeThatEndsByItselfIsNamed(t *testing.T) {
	healed := int64(3500 * ms)
	kill := results.Fault{Plan: plan.Fault{Do: plan.Kill}, Nodes: []string{"2"}, BeganNS: int64(1800 * ms), BrokenNS: int64(1801 * ms), HealedNS: &healed}
	other := kill
	other.Nodes = []string{"1"}
	command := results.Fault{Plan: plan.Fault{Do: plan.Run}, BeganNS: int64(1800 * ms), BrokenNS: int64(1801 * ms), HealedNS: nil}
	pause := kill
	pause.Plan = plan.Fault{At: 1500 * ms, Do: plan.Pause, Node: "2"}
	for name, tt := range map[string]struct {
		dead   []int // seconds
		faults []results.Fault
		want   string
	}{
		"by itself":              {[]int{2, 3}, nil, "node 2 ended between 2.0 and 3.0 s, and no fault did that"},
		"twice":                  {[]int{2, 5}, nil, "node 2 ended between 2.0 and 3.0 s, and no fault did that; node 2 ended between 5.0 and 6.0 s, and no fault did that"},
		"killed":                 {[]int{2, 3}, []results.Fault{kill}, ""},
		"another is killed":      {[]int{2}, []results.Fault{other}, "node 2 ended between 2.0 and 3.0 s, and no fault did that"},
		"a command of the user":  {[]int{2}, []results.Fault{command}, ""},
		"paused, and it crashes": {[]int{2}, []results.Fault{pause}, "node 2 ended between 2.0 and 3.0 s, during pause 2 at 1.5s"},
		"after it was mended":    {[]int{2, 3, 5}, []results.Fault{kill}, "node 2 ended between 5.0 and 6.0 s, and no fault did that"},
		"not there at first":     {[]int{0, 1}, nil, ""},
		"never dead":             {nil, nil, ""},
	} {
		n := &dyingNodes{dead: make(map[int]bool)}
		for _, second := range tt.dead {
			n.dead[second] = true
		}
		w, err := newWatching(n, nil)
		if err != nil {
			t.Fatal(err)
		}
		w.begin(time.Now())
		for second := range 8 {
			w.take(time.Duration(second)*time.Second, time.Duration(second+1)*time.Second, func() {})
		}
		c := results.Cell{Faults: tt.faults}
		w.describe(&c, nil)
		if got := ended(&c); got.Text != tt.want || (got.Severity == results.Suspect) != strings.Contains(tt.want, "no fault") {
			t.Errorf("%s: %+v, want %q", name, got, tt.want)
		}
	}
}

// A fault at a whole second is made before the sample of the interval that ends there, and is
// what ended the node that the sample does not find.
func TestAFaultBetweenAnIntervalAndItsSampleIsToBlame(t *testing.T) {
	for began, want := range map[time.Duration]string{
		3*time.Second + ms: "",
		time.Hour:          "node 2 ended between 2.0 and 3.5 s, and no fault did that",
	} {
		w, err := newWatching(&dyingNodes{dead: map[int]bool{2: true}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		w.begin(time.Now().Add(-3500 * ms))
		for second := range 3 {
			w.take(time.Duration(second)*time.Second, time.Duration(second+1)*time.Second, func() {})
		}
		c := results.Cell{Faults: []results.Fault{{Plan: plan.Fault{Do: plan.Kill}, Nodes: []string{"2"}, BeganNS: int64(began), BrokenNS: int64(began) + 1}}}
		w.describe(&c, nil)
		if got := ended(&c); got.Text != want {
			t.Errorf("a kill at %v: %q, want %q", began, got.Text, want)
		}
	}
}

// However often nodes end, a hundred ends are kept.
func TestEndsOfNodesAreBounded(t *testing.T) {
	n := &dyingNodes{dead: make(map[int]bool)}
	for second := range 500 {
		n.dead[2*second+1] = true
	}
	w, err := newWatching(n, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.begin(time.Now())
	for second := range 1000 {
		w.take(time.Duration(second)*time.Second, time.Duration(second+1)*time.Second, func() {})
	}
	if len(w.ended) != mostEnds {
		t.Errorf("%d ends are kept", len(w.ended))
	}
}
