package run

import (
	"context"
	"time"

	"github.com/brokerbench/brokerbench/internal/judge"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// A CellDriver does what one process does for all agents while they measure a cell: it makes the
// plan's faults happen on the clock that they share, repairs everything before they audit, and
// samples the nodes of the target. For each attempt Prepare is called first, then Begin, Heal and
// End, by one goroutine, except that Begin and Heal may be left out, and that another goroutine may
// call Heal, for which End waits.
type CellDriver struct {
	r      Runner
	cell   plan.Cell
	folder *results.CellFolder
	nodes  measure.Nodes // nil: unknown

	faults  FaultDriver       // of the attempt under way; nil: the cell has none
	factory requester.Factory // tells the faults which node leads
	loop    *record.NodeLoop  // nil: the nodes are not sampled
	disks   *disks            // of the nodes; nil: unknown
	healed  bool
}

// before measures the disks of the nodes, which agents on other machines cannot reach. Those of a broker that
// does not answer are only described.
func (d *CellDriver) before(ctx context.Context) {
	if d.disks == nil {
		return
	}
	var broker results.Broker
	if f, err := d.r.Open(d.cell.Target, "disks"); err == nil {
		broker, _ = measure.Describe(ctx, f) // the agents find out what is wrong
	}
	d.disks.Before(ctx, broker)
}

// after measures the disks once more, when the result is stored.
func (d *CellDriver) after(ctx context.Context, c *results.Cell) error {
	if d.disks == nil || c.Interrupted {
		return nil
	}
	c.Disks = d.disks.After(false)
	return d.r.room(context.WithoutCancel(ctx), d.folder.Dir(), func() error { return d.folder.Save(c) })
}

// Prepare is called before an attempt: run is in the names that its first agent uses on the
// target, which is asked which node leads there.
func (d *CellDriver) Prepare(run string) (err error) {
	d.loop, d.healed = nil, false
	if d.faults, err = d.r.faults(d.cell); err != nil || d.faults == nil {
		return err
	}
	d.factory, err = d.r.Open(d.cell.Target, run)
	return err
}

// Begin is called once it is known when the first message is due. It returns at once.
func (d *CellDriver) Begin(start time.Time) error {
	sampler, err := record.NewNodeSampler(d.nodes, d.cell, d.folder)
	if err != nil {
		return err
	}
	if sampler != nil {
		d.loop = record.NewNodeLoop(sampler, start)
	}
	if d.faults != nil {
		d.faults.Begin(d.factory, start)
	}
	return nil
}

// Heal is called after the last message of all agents, and returns when everything that was broken
// is repaired.
func (d *CellDriver) Heal() {
	if d.loop != nil {
		d.loop.Stop()
	}
	if !d.healed && d.faults != nil {
		d.faults.Heal()
	}
	d.healed = true
}

// End ends an attempt, and repairs what Heal has not. Measured says that its results are the
// cell's.
func (d *CellDriver) End(measured bool) error {
	d.Heal()
	if d.loop == nil {
		return nil
	}
	err := d.loop.Close(measured)
	if !measured {
		d.loop = nil
		return nil
	}
	return err
}

// Counts returns what counts the messages that break the cell's objectives; nil: nothing does.
func (d *CellDriver) Counts() *judge.SLOCounts { return d.r.counts }

// AddPart adds what the faults did to part i of so many; packed is nil for a part that was lost.
func (d *CellDriver) AddPart(packed []byte, name string, i, of int) error {
	if d.faults == nil {
		return nil
	}
	return d.faults.AddPart(packed, name, i, of)
}

// Finish adds to the merged result of a cell what this process knows of it.
func (d *CellDriver) Finish(c *results.Cell, raw measure.Raw) {
	if keep := d.r.repeats.keep(); keep != nil {
		keep(d.cell, raw)
	}
	d.r.counts.End(raw.Totals)
	if c.Faults = unmade(d.cell.Settings.Faults); d.faults != nil {
		d.faults.AssessParts(c, raw.Outcome)
	}
	if kernel := kernelOf(d.nodes); kernel != "" {
		c.Broker.Kernel = &kernel
	}
	if d.loop != nil {
		d.loop.Describe(c, coresOf(c.Agents))
	}
	if d.disks != nil {
		c.Disks = d.disks.After(true) // see after
	}
}

// coresOf returns how many cores the processes of all agents used; nil if one is unknown.
func coresOf(agents []results.Agent) *float64 {
	sum := 0.0
	for _, a := range agents {
		if a.Usage == nil {
			return nil
		}
		sum += a.Usage.Process.CPUCores
	}
	return &sum
}
