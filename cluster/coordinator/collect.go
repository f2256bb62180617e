package coordinator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/brokerbench/brokerbench/cluster/wire"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/results"
)

// collect reads what every agent delivered, and looks once more at their clocks.
func (c *Coordinator) collect(ctx context.Context, t *trial, folder *results.CellFolder) (parts []measure.Part, err error) {
	ctx = context.WithoutCancel(ctx) // what was measured is kept
	if err := discard(folder); err != nil {
		return nil, err
	}
	losses := t.state.Losses()
	for i, s := range c.roster.all() {
		p := measure.Part{Agent: results.Agent{Name: s.name, Index: i, Environment: t.seats[i].last.Environment, Lost: losses[s.name]}}
		p.Environment = s.last.Environment
		if p.Lost == "" {
			if err := c.take(ctx, t, s, folder, &p); err != nil {
				return nil, fmt.Errorf("agent %s: %w", s.name, err)
			}
		}
		parts = append(parts, p)
	}
	for i := range parts {
		t.bound(&parts[i])
	}
	return parts, nil
}

// take takes the result of one agent.
func (c *Coordinator) take(ctx context.Context, t *trial, s seat, folder *results.CellFolder, p *measure.Part) error {
	parcel := s.last.Result
	if parcel == nil {
		return errors.New("it has delivered nothing")
	}
	before := t.state.Clock(s.name)
	p.Clock = results.AgentClock{BoundNS: int64(before.Bound), LateNS: parcel.LateNS}
	if after, ok := c.clockOf(s); ok && before.RTT > 0 {
		p.Clock.DriftNS = int64(after.Offset - before.Offset)
		t.compare(s.name, after)
	}
	packed, err := c.fetch(ctx, s.name, t.key, *parcel)
	if err != nil {
		return err
	}
	own, err := folder.CreateAgent(s.name)
	if err != nil {
		return err
	}
	if err := wire.Unpack(packed, own.Dir()); err != nil {
		return err
	}
	if p.Cell, err = own.Read(); err != nil {
		return err
	}
	if p.Harm, err = own.TakeHarm(); err != nil {
		return err
	}
	p.First, p.Last, p.Log = time.Duration(parcel.FirstDoneNS), time.Duration(parcel.LastDoneNS), func() (io.ReadCloser, error) { return own.OpenIntervals() }
	return nil
}

// fetch puts a result together from the stream.
func (c *Coordinator) fetch(ctx context.Context, agent, key string, parcel wire.Parcel) (packed []byte, err error) {
	for i := range parcel.Chunks {
		m, err := c.stream.GetLastMsgForSubject(ctx, c.subjects.Result(agent, key, i))
		if err != nil {
			return nil, fmt.Errorf("reading part %d of %d of its result: %w", i+1, parcel.Chunks, err)
		}
		packed = append(packed, m.Data...)
	}
	return packed, parcel.Check(packed)
}

// discard removes what was taken of agents whose results were not all whole.
func discard(folder *results.CellFolder) error {
	if err := os.RemoveAll(filepath.Join(folder.Dir(), results.AgentsFolder)); err != nil {
		return fmt.Errorf("removing what an attempt left: %w", err)
	}
	return nil
}
