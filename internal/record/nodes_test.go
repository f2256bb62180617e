package record

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// fakeNodes use a millisecond from one sample to the next.
type fakeNodes struct{ samples int }

func (n *fakeNodes) Sample(rest func()) []results.NodeUsage {
	rest()
	if n.samples++; n.samples == 1 {
		return nil
	}
	return []results.NodeUsage{{Node: "1", Processes: 1, CPUNS: new(int64(time.Millisecond))}}
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

// The warm-up's interval ends some microseconds after the warm-up: it costs no message of the
// window, nor do the seconds after it.
func TestOnlyTheWindowCosts(t *testing.T) {
	w, err := NewNodeSampler(&fakeNodes{}, plan.Cell{Settings: plan.Settings{Warmup: time.Second, Duration: 2 * time.Second}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Begin(time.Now())
	at := []time.Duration{0, time.Second + 20*time.Microsecond, 2 * time.Second, 3*time.Second + time.Microsecond, 3*time.Second + 400*time.Millisecond, 3*time.Second + 400*time.Millisecond}
	for i, to := range at[1:] {
		w.Take(at[i], to, func() {})
	}
	c := results.Cell{Ledger: results.Ledger{Done: 100}}
	w.Describe(&c, nil)
	if *c.Nodes[0].CPUNS != int64(2*time.Millisecond) || c.Cost.WindowNS != int64(2*time.Second-19*time.Microsecond) || *c.Cost.NodesCPUNS != 20_000 {
		t.Errorf("nodes %+v, cost %+v", c.Nodes, c.Cost)
	}
}

// However often nodes end, a hundred ends are kept.
func TestEndsOfNodesAreBounded(t *testing.T) {
	n := &dyingNodes{dead: make(map[int]bool)}
	for second := range 500 {
		n.dead[2*second+1] = true
	}
	w, err := NewNodeSampler(n, plan.Cell{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Begin(time.Now())
	for second := range 1000 {
		w.Take(time.Duration(second)*time.Second, time.Duration(second+1)*time.Second, func() {})
	}
	if len(w.ended) != mostEnds {
		t.Errorf("%d ends are kept", len(w.ended))
	}
}
