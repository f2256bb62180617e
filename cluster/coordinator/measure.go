package coordinator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/cluster/attempt"
	"github.com/brokerbench/brokerbench/cluster/wire"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// How long agents may take, besides what the cell says.
const (
	prepareTime = time.Minute
	syncTime    = 20 * time.Second
	auditTime   = 10 * time.Minute // as long as an audit may take at least, see package measure
	deliverTime = time.Minute
)

// Measure measures a cell on the agents and returns their parts, in the order of their
// indexes, and when the schedule began. The files of each agent are in a folder of its own
// in folder. An attempt in which an agent is lost is given up, and made again once all are
// there; after three of them, or if nobody comes, the error is ErrLost. When ctx ends, the
// agents deliver what they have measured so far.
func (c *Coordinator) Measure(ctx context.Context, cell plan.Cell, id string, folder *results.CellFolder) ([]measure.Part, time.Time, error) {
	reason := ""
	for n := 1; n <= attempts; n++ {
		if err := c.Gather(ctx); err != nil {
			return nil, time.Time{}, errors.Join(err, given(reason))
		}
		a, err := c.begin(ctx, cell, id, n)
		if err != nil {
			return nil, time.Time{}, err
		}
		parts, start, end, err := c.attempt(ctx, a, folder)
		if err == nil && end == attempt.Measured {
			return parts, start, c.settle(cell)
		}
		switch {
		case errors.Is(err, ErrTaken):
			return nil, time.Time{}, err
		case end == attempt.Broken:
			return nil, time.Time{}, err
		case end == attempt.Interrupted:
			return nil, time.Time{}, errors.Join(err, context.Cause(ctx))
		}
		reason = err.Error()
		c.cfg.Say(fmt.Sprintf("%s: given up: %s", cell, reason))
	}
	return nil, time.Time{}, fmt.Errorf("%w: %d attempts: %s", ErrLost, attempts, reason)
}

// given is why the last attempt was given up; nil if there was none.
func given(reason string) error {
	if reason == "" {
		return nil
	}
	return errors.New(reason)
}

// a trial is an attempt under way.
type trial struct {
	cell   plan.Cell
	id     string
	key    string
	first  int // the number of the first part, of all of the run
	seats  []seat
	state  *attempt.Machine
	synced chan synced
	asking map[string]bool // whose clock is being read
}

type synced struct {
	agent string
	clock attempt.Clock
}

func (c *Coordinator) begin(ctx context.Context, cell plan.Cell, id string, n int) (*trial, error) {
	t := &trial{
		cell: cell, id: id, key: fmt.Sprintf("%d", c.number), first: c.number, seats: c.roster.all(),
		synced: make(chan synced, len(c.cfg.Agents)), asking: make(map[string]bool),
	}
	c.number += len(c.cfg.Agents)
	for len(c.gone) > 0 {
		<-c.gone // of an attempt before
	}
	t.state = attempt.New(c.config(t), c.now())
	c.keeper.state = State{Cell: id, Key: t.key, Attempt: n, Number: c.number, Epochs: make(map[string]string)}
	for _, s := range t.seats {
		c.keeper.state.Epochs[s.name] = s.epoch
	}
	return t, c.keeper.save(ctx)
}

func (c *Coordinator) config(t *trial) attempt.Config {
	s := t.cell.Settings
	took := s.Warmup + s.Duration + s.Timeout + deliverTime
	if s.Audit {
		took += auditTime + 2*s.Duration
	}
	prepare := prepareTime
	if s.Floor {
		prepare += 2 * t.cell.FloorTook()
	}
	return attempt.Config{
		Key: t.key, Agents: c.cfg.Agents, Prepare: prepare, Sync: syncTime, Took: took,
		Lease: c.cfg.Lease, MaxSkew: c.cfg.MaxSkew, Keep: c.cfg.Keep,
	}
}

// attempt drives an attempt to its end, and reads what was delivered.
func (c *Coordinator) attempt(ctx context.Context, t *trial, folder *results.CellFolder) ([]measure.Part, time.Time, attempt.End, error) {
	c.roster.play(true)
	end, reason, err := c.drive(ctx, t)
	c.roster.play(false)
	switch {
	case err != nil:
		return nil, time.Time{}, end, err
	case end != attempt.Measured:
		return nil, time.Time{}, end, errors.New(reason)
	}
	start := c.began.Add(t.state.Start())
	parts, err := c.collect(ctx, t, folder)
	if err != nil {
		return nil, start, attempt.GivenUp, err
	}
	return parts, start, end, nil
}

// drive does what the state machine says until it is over.
func (c *Coordinator) drive(ctx context.Context, t *trial) (attempt.End, string, error) {
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	interrupted := ctx.Done()
	saved := false
	for {
		for _, s := range c.roster.all() {
			if s.epoch == t.epochOf(s.name) {
				t.state.Report(s.heard, s.name, s.last.Key, s.last.State, s.last.Error)
			}
		}
		for _, a := range t.state.Tick(c.now()) {
			c.act(t, a)
		}
		if end, reason := t.state.End(); end != "" {
			return end, reason, nil
		}
		if start := t.state.Start(); start != 0 && !saved {
			saved = true
			if err := c.saveStart(t, start); err != nil {
				return attempt.GivenUp, "", err
			}
		}
		c.report(t)
		select {
		case <-ticks.C:
		case <-interrupted:
			t.state.Interrupt()
			interrupted = nil
		case <-c.cfg.GiveUp:
			return attempt.Interrupted, "given up by the user", nil
		case s := <-t.synced:
			t.asking[s.agent] = false
			if s.clock.RTT > 0 {
				t.state.Synced(s.agent, s.clock)
			}
		case d := <-c.gone:
			t.state.Lost(d.agent, d.why)
		}
	}
}

// saveStart keeps when the schedule begins, for a coordinator that goes on.
func (c *Coordinator) saveStart(t *trial, start time.Duration) error {
	c.keeper.state.Start = c.began.Add(start)
	c.keeper.state.Clocks = make(map[string]attempt.Clock)
	for _, name := range c.cfg.Agents {
		c.keeper.state.Clocks[name] = t.state.Clock(name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.cfg.Lease)
	defer cancel()
	return c.keeper.save(ctx)
}

func (t *trial) epochOf(name string) string { return t.seats[t.index(name)].epoch }

func (t *trial) index(name string) int {
	return slices.IndexFunc(t.seats, func(s seat) bool { return s.name == name })
}

// act does one thing.
func (c *Coordinator) act(t *trial, a attempt.Action) {
	i := t.index(a.Agent)
	s := t.seats[i]
	o := wire.Order{Kind: a.Kind, Key: t.key}
	switch a.Kind { //nolint:exhaustive // the machine wants no others
	case wire.Prepare:
		o.Task = &wire.Task{
			Cell: t.cell, ID: t.id, Run: fmt.Sprintf("%s-%d", c.cfg.Run, t.first+i), Index: i, Of: len(t.seats),
			Shared: c.cfg.Shared != nil && c.cfg.Shared(t.cell.Target),
		}
	case wire.Clock:
		if !t.asking[a.Agent] {
			t.asking[a.Agent] = true
			go func() {
				clock, _ := c.clockOf(s)
				t.synced <- synced{s.name, clock}
			}()
		}
		return
	case wire.Start:
		o.Start = a.Start + t.state.Clock(a.Agent).Offset
	}
	c.order(s, o)
}

// report tells how far the cell is.
func (c *Coordinator) report(t *trial) {
	start, now := t.state.Start(), c.now()
	if start == 0 || now < start {
		return
	}
	p := Progress{Cell: t.cell, Elapsed: now - start, Quiet: t.state.Quiet(now)}
	for _, s := range c.roster.all() {
		if s.last.Key == t.key {
			p.Due, p.Done = p.Due+s.last.Due, p.Done+s.last.Done
		}
	}
	c.cfg.Progress(p)
}

// settle keeps that no cell is under way.
func (c *Coordinator) settle(plan.Cell) error {
	c.keeper.state = State{Number: c.number}
	ctx, cancel := context.WithTimeout(context.Background(), c.cfg.Lease)
	defer cancel()
	return c.keeper.save(ctx)
}

// Resume reads the result of the cell that was under way when the coordinator before died,
// if it is that with an ID and its messages were due by then. ok is false if there is
// nothing to go on with.
func (c *Coordinator) Resume(ctx context.Context, cell plan.Cell, id string, folder *results.CellFolder) (parts []measure.Part, start time.Time, ok bool, err error) {
	s := c.keeper.state
	if s.Cell != id || s.Start.IsZero() {
		return nil, start, false, nil
	}
	if err := c.Gather(ctx); err != nil {
		return nil, start, false, nil //nolint:nilerr // it is measured again, or that says it
	}
	t := &trial{cell: cell, id: id, key: s.Key, first: s.Number - len(c.cfg.Agents), seats: c.roster.all(), synced: make(chan synced, len(c.cfg.Agents)), asking: make(map[string]bool)}
	for i := range t.seats {
		if t.seats[i].epoch != s.Epochs[t.seats[i].name] {
			c.cfg.Say(fmt.Sprintf("%s: agent %s is another process than the one that measured it", cell, t.seats[i].name))
			return nil, start, false, nil
		}
	}
	for name, clock := range s.Clocks {
		clock.RTT = 0 // it was read by another clock than this process's
		s.Clocks[name] = clock
	}
	t.state = attempt.Resume(c.config(t), c.now(), c.now()+time.Until(s.Start), s.Clocks)
	parts, _, end, err := c.attempt(ctx, t, folder)
	if err != nil || end != attempt.Measured {
		if err != nil {
			c.cfg.Say(fmt.Sprintf("%s: what was under way is given up: %v", cell, err))
		}
		return nil, start, false, nil
	}
	return parts, s.Start, true, c.settle(cell)
}
