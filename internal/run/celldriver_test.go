package run

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A busyNode uses a tenth of a core.
type busyNode struct{ last time.Time }

func (b *busyNode) Sample(func()) []results.NodeUsage {
	used := int64(0)
	if !b.last.IsZero() {
		used = int64(time.Since(b.last) / 10)
	}
	b.last = time.Now()
	return []results.NodeUsage{{Node: "n1", Processes: 1, CPUNS: &used}}
}

// Kernel is what kernelOf looks for.
func (*busyNode) Kernel() string { return farKernel }

const farKernel = "6.1-far"

// The nodes are watched beside agents as beside one process: over the window, from the common
// start on; an attempt that was given up leaves nothing.
func TestNodesAreWatchedBesideAgents(t *testing.T) {
	cell := cellOf(100, 5*second)
	cell.Settings.Warmup = second
	folder := newFolder(t, newStore(t), "cell")
	synctest.Test(t, func(t *testing.T) {
		d := &CellDriver{cell: cell, folder: folder, nodes: &busyNode{}}
		for _, measured := range []bool{false, true} {
			if err := d.Prepare("run"); err != nil {
				t.Fatal(err)
			}
			if err := d.Begin(time.Now().Add(500 * ms)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(6700 * ms)
			d.Heal()
			if err := d.End(measured); err != nil {
				t.Fatal(err)
			}
			if _, err := folder.ReadNodes(); (err == nil) != measured {
				t.Errorf("measured: %v, nodes.json: %v", measured, err)
			}
		}
		c := &results.Cell{Plan: plan.Cell{Settings: cell.Settings}, Ledger: results.Ledger{Due: 500, Done: 500}}
		c.Agents = []results.Agent{{Usage: &results.Usage{Process: results.ProcessUsage{CPUCores: 0.25}}}, {Usage: &results.Usage{Process: results.ProcessUsage{CPUCores: 0.5}}}}
		d.Finish(c, measure.Raw{})
		if len(c.Nodes) != 1 || c.Cost == nil || c.Cost.NodesCores == nil || *c.Cost.NodesCores < 0.099 || *c.Cost.NodesCores > 0.101 || time.Duration(c.Cost.WindowNS).Round(100*ms) != 5*second {
			t.Errorf("%+v %+v", c.Nodes, c.Cost)
		}
		if k := c.Broker.Kernel; k == nil || *k != farKernel {
			t.Errorf("kernel %v, want %s", k, farKernel)
		}
		if c.Cost.ClientCPUNS == nil || *c.Cost.ClientCPUNS < 7e6 || *c.Cost.ClientCPUNS > 8e6 {
			t.Errorf("all agents used %v ns a message, want 7.5 ms", c.Cost.ClientCPUNS)
		}
	})
}
