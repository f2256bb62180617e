package coordinator

import (
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

// Central says what one process does for all agents of a cell, and where they find its target.
type Central struct {
	Via    map[string]string // see wire.Task
	Driver CellDriver        // nil: none
}

// A CellDriver makes faults happen for all agents and repairs them, and samples the nodes. See
// run.CellDriver.
type CellDriver interface {
	Prepare(run string) error
	Begin(start time.Time) error
	Heal()
	End(measured bool) error
}

// central is the state of a Central in an attempt.
type central struct {
	Central

	attended bool // the driver was prepared
	begun    bool
	healing  chan struct{} // closed when everything is repaired; nil: not yet
}

// attend prepares an attempt of a run.
func (t *trial) attend(b Central, run string) error {
	t.central = central{Central: b}
	if b.Driver == nil {
		return nil
	}
	t.attended = true
	return b.Driver.Prepare(fmt.Sprintf("%s-%d", run, t.first))
}

// begin calls the driver, once.
func (t *trial) begin(start time.Time) error {
	if !t.attended || t.begun {
		return nil
	}
	t.begun = true
	return t.Driver.Begin(start)
}

// ends ends the driver, and waits until everything is repaired.
func (t *trial) ends(measured bool) error {
	if !t.attended {
		return nil
	}
	if t.healing != nil {
		<-t.healing
	}
	return t.Driver.End(measured)
}

// heal undoes the faults once no agent sends or awaits messages, and tells the agents that wait
// for it.
func (c *Coordinator) heal(t *trial) {
	if !t.begun || len(t.cell.Settings.Faults) == 0 {
		return
	}
	if t.healing == nil && c.settled(t) {
		t.healing = make(chan struct{})
		go func() {
			defer close(t.healing)
			t.Driver.Heal()
		}()
	}
	select {
	case <-t.healing:
	default:
		return // also if it is nil
	}
	now := c.now()
	for _, s := range c.roster.all() {
		p := t.agent(s.name)
		if s.last.Settled && s.last.Key == t.key && (p.told == 0 || now-p.told > toldAgain) {
			p.told = now
			c.order(s, wire.Order{Kind: wire.Healed, Key: t.key})
		}
	}
}

// toldAgain is how often an agent is told what the state machine does not order.
const toldAgain = time.Second

// settled reports whether every agent that is not lost has stopped sending and awaiting messages.
func (c *Coordinator) settled(t *trial) bool {
	losses := t.state.Losses()
	for _, s := range c.roster.all() {
		if _, lost := losses[s.name]; !lost && (s.last.Key != t.key || !s.last.Settled && !over(s.last.State)) {
			return false
		}
	}
	return true
}

// over reports whether an agent in this state has stopped sending and awaiting messages.
func over(s wire.State) bool {
	return slices.Contains([]wire.State{wire.Done, wire.Delivered, wire.Failed, wire.Aborted}, s)
}
