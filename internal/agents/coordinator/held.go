package coordinator

import (
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/attempt"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/plan"
)

// An Attempt is what another coordinator needs to collect the results of an attempt that began, if
// this one is gone by then: agents keep them.
type Attempt struct {
	Cell   string                   `json:"cell"` // its ID
	Key    string                   `json:"key"`
	Start  time.Time                `json:"start"`  // of the schedule
	Epochs map[string]string        `json:"epochs"` // of each agent's process
	Clocks map[string]attempt.Clock `json:"clocks"`
}

// note passes on an attempt whose messages are due, once. The times of two agents depend on clocks
// that another coordinator cannot compare with those of before.
func (c *Coordinator) note(t *trial) {
	if t.noted || c.cfg.Begun == nil || t.echoed() || c.now() < t.state.Start() {
		return
	}
	t.noted = true
	a := Attempt{Cell: t.id, Key: t.key, Start: c.began.Add(t.state.Start()), Epochs: make(map[string]string), Clocks: make(map[string]attempt.Clock)}
	for _, p := range t.agents {
		a.Epochs[p.name], a.Clocks[p.name] = p.epoch, t.state.Clock(p.name)
	}
	c.cfg.Begun(a)
}

// held returns the attempt of another coordinator at a cell, if its agents still measure or have
// results; nil if they do not. It is tried once.
func (c *Coordinator) held(cell plan.Cell, id string) *trial {
	h := c.cfg.Held
	if h == nil || h.Cell != id {
		return nil
	}
	c.cfg.Held = nil
	t := c.newTrial(cell, id, h.Key)
	t.held, t.noted = true, true
	for _, p := range t.agents {
		has := slices.Contains([]wire.State{wire.Armed, wire.Running, wire.Done, wire.Delivered}, p.last.State)
		if _, took := h.Clocks[p.name]; !took || !has || p.epoch != h.Epochs[p.name] || p.last.Key != h.Key {
			return nil
		}
	}
	t.state = attempt.Continue(c.config(t), c.now(), h.Start.Sub(c.began), h.Clocks)
	c.cfg.Say(fmt.Sprintf("%s: the agents have measured it for another coordinator: their results are collected", cell))
	return t
}

// askAgain has agents deliver what another coordinator took, until the first chunk comes.
func (c *Coordinator) askAgain(t *trial) {
	if !t.held {
		return
	}
	came, _ := c.deliveries.progress(c.now())
	now := c.now()
	for _, s := range c.roster.all() {
		p := t.agent(s.name)
		if _, begun := came[s.name]; !begun && s.last.Key == t.key && (p.told == 0 || now-p.told > toldAgain) &&
			(s.last.State == wire.Done || s.last.State == wire.Delivered) {
			p.told = now
			c.order(s, wire.Order{Kind: wire.Deliver, Key: t.key})
		}
	}
}
