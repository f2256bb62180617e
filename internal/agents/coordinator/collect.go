package coordinator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/merge"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/results"
)

// collect stores what every agent delivered, and looks once more at their clocks. While the disk is
// full it waits: what was measured is not measured again.
func (c *Coordinator) collect(ctx context.Context, t *trial, folder *results.CellFolder) (parts []merge.Part, err error) {
	var clocks map[string]reading
	if !t.held { // its clocks were compared with another coordinator's
		clocks = c.clocksOf(context.WithoutCancel(ctx), t) // what was measured is kept
	}
	err = c.Room(ctx, folder.Dir(), func() (err error) {
		parts, err = c.store(t, folder, clocks)
		return err
	})
	return parts, err
}

// store stores and checks what every agent delivered.
func (c *Coordinator) store(t *trial, folder *results.CellFolder, clocks map[string]reading) (parts []merge.Part, err error) {
	if err := discard(filepath.Join(folder.Dir(), results.AgentsFolder)); err != nil {
		return nil, err
	}
	losses := t.state.Losses()
	for i, a := range t.agents {
		p := merge.Part{Agent: results.Agent{Name: a.name, Index: i, Environment: a.last.Environment, Lost: losses[a.name]}}
		if after, ok := clocks[a.name]; ok && p.Lost == "" {
			t.drift(&p, a, after)
		}
		if p.Lost == "" {
			err = c.take(t, a.delivered, folder, &p)
		}
		switch {
		case err == nil:
		case local(err):
			return nil, err
		case !c.cfg.Keep:
			return nil, fmt.Errorf("agent %s: %w", a.name, err)
		default:
			p.Cell, p.Faults, p.Lost = nil, nil, "its result cannot be used: "+err.Error()
			err = discard(filepath.Join(folder.Dir(), results.AgentsFolder, a.name))
		}
		parts = append(parts, p)
	}
	if !slices.ContainsFunc(parts, func(p merge.Part) bool { return p.Cell != nil }) {
		return nil, errors.New(parts[0].Lost)
	}
	for i := range parts {
		t.bound(&parts[i])
	}
	return parts, errors.Join(err, reserve(folder.Dir(), parts))
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
	p.Clock.LimitNS = int64(c.cfg.MaxSkew)
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
func discard(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("removing what an attempt left: %w", err)
	}
	return nil
}
