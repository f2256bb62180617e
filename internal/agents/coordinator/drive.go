package coordinator

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/attempt"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// drive does what the state machine says until it is over.
func (c *Coordinator) drive(ctx context.Context, t *trial) (attempt.End, string) {
	var cancel context.CancelFunc
	t.reading, cancel = context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	interrupted := ctx.Done()
	for {
		c.step(t)
		if end, reason := t.state.End(); end != "" {
			return end, reason
		}
		select {
		case <-ticks.C:
		case <-interrupted:
			t.state.Interrupt(c.now())
			interrupted = nil
		case <-c.cfg.GiveUp:
			c.hear(t)
			t.state.Abandon()
		case s := <-t.synced:
			s.agent.asking = false
			if s.clock.RTT > 0 {
				if t.state.Synced(s.agent.name, s.clock) {
					s.agent.read = c.now()
				}
				t.compare(s.agent, s.clock)
			}
		case d := <-c.gone:
			c.hear(t) // it may have delivered just before
			t.state.Lost(d.agent, d.why)
		}
	}
}

// hear passes the agents' beats to the state machine, including those of processes that have
// ended since: a delivered result counts even if its agent has gone.
func (c *Coordinator) hear(t *trial) {
	c.excuse(t)
	for _, s := range c.roster.all() {
		p := t.agent(s.name)
		if d := s.done; d.Epoch == p.epoch && d.Key == t.key && (!t.held || c.deliveries.whole(s.name, *d.Result)) {
			p.delivered = d
			t.state.Report(s.heard, s.name, d.Key, wire.Delivered, "")
		}
		if s.last.Epoch != p.epoch {
			continue
		}
		if s.last.Leaving {
			t.state.Leave(c.now(), s.name)
		}
		state := s.last.State
		if t.held && state == wire.Delivered {
			state = wire.Done // another coordinator took it, until all of it is here
		}
		t.state.Report(s.heard, s.name, s.last.Key, state, s.last.Error)
	}
}

// excuse tells the state machine which results grow. While the disk is full no agent is late.
func (c *Coordinator) excuse(t *trial) {
	came, err := c.deliveries.progress(c.now())
	for agent, at := range came {
		t.state.Advance(at, agent)
	}
	if err == nil {
		return
	}
	for _, p := range t.agents {
		t.state.Advance(c.now(), p.name)
	}
	if !t.full {
		t.full = true
		c.cfg.Say(safefile.FullText(t.dir, err))
	}
}

// step tells the state machine what was heard, and does what it says.
func (c *Coordinator) step(t *trial) {
	c.hear(t)
	for _, a := range t.state.Tick(c.now()) {
		c.act(t, a)
	}
	if start := t.state.Start(); start != 0 {
		if err := t.begin(c.began.Add(start)); err != nil {
			t.state.GiveUp(c.now(), err.Error())
		}
		c.heal(t)
		c.sayFar(t)
		c.note(t)
	}
	c.askAgain(t)
	c.report(t)
	c.sample(t)
}

// sayFar tells the user, once, which agents begin with the others only as nearly as their network permits.
func (c *Coordinator) sayFar(t *trial) {
	for _, p := range t.agents {
		if clock := t.state.Clock(p.name); clock.Bound > attempt.UsualSkew && c.cfg.MaxSkew == 0 && !c.far[p.name] {
			c.far[p.name] = true
			c.cfg.Say(fmt.Sprintf("agent %s: the shortest round trip to it took %v, so it begins with the others to ±%v (--max-skew sets a limit)", p.name, clock.RTT.Round(time.Microsecond), clock.Bound.Round(time.Microsecond)))
		}
	}
}

// act does one thing.
func (c *Coordinator) act(t *trial, a attempt.Action) {
	i := slices.IndexFunc(t.agents, func(p *participant) bool { return p.name == a.Agent })
	o := wire.Order{Kind: a.Kind, Key: t.key}
	switch a.Kind { //nolint:exhaustive // the machine wants no others
	case wire.Prepare:
		o.Task = &wire.Task{
			Cell: t.cell, ID: t.id, Run: fmt.Sprintf("%s-%d", c.cfg.Run, t.first+i), Part: schedule.Part{Index: i, Of: len(t.agents)}, Via: t.Via,
		}
		o.Task.Echo = c.neighbour(t, i)
	case wire.Clock:
		c.ask(t, t.agents[i], exchanges)
		return
	case wire.Start:
		o.Start = a.Start + t.state.Clock(a.Agent).Offset
		o.Echo = t.echoStart(i, a.Start)
	}
	c.order(t.agents[i].seat, o)
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
