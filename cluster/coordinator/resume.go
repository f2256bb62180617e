package coordinator

import (
	"context"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/cluster/attempt"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// Resume reads the result of the cell that was under way when the coordinator before died,
// if it is that with an ID and its messages were due by then. ok is false if there is
// nothing to go on with.
func (c *Coordinator) Resume(ctx context.Context, cell plan.Cell, id string, folder *results.CellFolder) (parts []measure.Part, start time.Time, ok bool, err error) {
	s := c.keeper.state
	if s.Cell != id || s.Start.IsZero() {
		return nil, start, false, nil
	}
	err = c.Gather(ctx)
	if err != nil && (!c.cfg.Keep || ctx.Err() != nil) {
		return nil, start, false, nil // it is measured again, or that says it
	}
	t := c.newTrial(cell, id, s.Key, s.Number-len(c.cfg.Agents))
	others := t.others(s.Epochs)
	if !c.cfg.Keep && len(others) > 0 {
		for name, why := range others {
			c.cfg.Say(fmt.Sprintf("%s: agent %s: %s", cell, name, why))
		}
		return nil, start, false, nil
	}
	for name, clock := range s.Clocks {
		clock.RTT = 0 // it was read by another clock than this process's
		s.Clocks[name] = clock
	}
	t.state = attempt.Resume(c.config(t), c.now(), c.now()+time.Until(s.Start), s.Clocks)
	for name, why := range others {
		t.state.Lost(name, why)
	}
	parts, _, end, err := c.attempt(ctx, t, folder)
	if err != nil || end != attempt.Measured {
		if err != nil {
			c.cfg.Say(fmt.Sprintf("%s: what was under way is given up: %v", cell, err))
		}
		return nil, start, false, nil
	}
	return parts, s.Start, true, c.confirm(cell)
}

// others tells of which agents the process that measured is there no more.
func (t *trial) others(epochs map[string]string) map[string]string {
	list := make(map[string]string)
	for _, s := range t.seats {
		switch {
		case s.epoch == "":
			list[s.name] = "it is not there any more"
		case s.epoch != epochs[s.name]:
			list[s.name] = "it is another process than the one that measured it"
		}
	}
	return list
}
