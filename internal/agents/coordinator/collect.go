package coordinator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/merge"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/results"
)

// collect reads what every agent delivered, and looks once more at their clocks.
func (c *Coordinator) collect(ctx context.Context, t *trial, folder *results.CellFolder) (parts []merge.Part, err error) {
	ctx = context.WithoutCancel(ctx) // what was measured is kept
	if err := discard(folder); err != nil {
		return nil, err
	}
	losses, clocks := t.state.Losses(), c.clocksOf(ctx, t)
	for i, a := range t.agents {
		p := merge.Part{Agent: results.Agent{Name: a.name, Index: i, Environment: a.last.Environment, Lost: losses[a.name]}}
		if p.Lost == "" {
			if after, ok := clocks[a.name]; ok {
				t.drift(&p, a, after)
			}
			if err := c.take(t, a.delivered, folder, &p); err != nil {
				return nil, fmt.Errorf("agent %s: %w", a.name, err)
			}
		}
		parts = append(parts, p)
	}
	for i := range parts {
		t.bound(&parts[i])
	}
	return parts, nil
}

// drift takes what an agent's clock shows after the cell.
func (t *trial) drift(p *merge.Part, a *participant, after reading) {
	before := t.state.Clock(p.Name)
	moved := int64(after.Offset - before.Offset)
	p.Clock.DriftNS, p.Clock.DriftBoundNS, p.Clock.DriftOverNS = &moved, int64(before.Bound+after.Bound), int64(after.at-a.read)
	t.compare(a, after.Clock)
}

// take takes the result of one agent.
func (c *Coordinator) take(t *trial, b wire.Beat, folder *results.CellFolder, p *merge.Part) error {
	parcel := b.Result
	if parcel == nil {
		return errors.New("it has delivered nothing")
	}
	p.Environment = b.Environment
	p.Clock.BoundNS, p.Clock.LateNS = int64(t.state.Clock(p.Name).Bound), parcel.LateNS
	packed, err := c.deliveries.open(p.Name, *parcel)
	if err != nil {
		return err
	}
	defer func() { _ = packed.Close() }() // it was only read
	own, err := folder.CreateAgent(p.Name)
	if err != nil {
		return err
	}
	if err := wire.Unpack(packed, own.Dir(), mostBytes(t.cell)); err != nil {
		return err
	}
	if p.Cell, err = own.Read(); err != nil {
		return err
	}
	if p.Faults, err = own.TakeImpact(); err != nil {
		return err
	}
	p.First, p.Last, p.Log = time.Duration(parcel.FirstDoneNS), time.Duration(parcel.LastDoneNS), func() (io.ReadCloser, error) { return own.OpenIntervals() }
	return p.Check(t.cell, len(t.agents))
}

// discard removes what was taken of agents whose results were not all whole.
func discard(folder *results.CellFolder) error {
	if err := os.RemoveAll(filepath.Join(folder.Dir(), results.AgentsFolder)); err != nil {
		return fmt.Errorf("removing what an attempt left: %w", err)
	}
	return nil
}
