package coordinator

import (
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/cluster/wire"
)

// Beside is what one process does beside the agents of a cell, and where they find its target.
type Beside struct {
	Via       map[string]string // see wire.Task
	Attendant Attendant         // nil: nobody does anything
}

// An Attendant breaks and mends what all agents measure, and watches it. See
// measure.Attendant.
type Attendant interface {
	Prepare(run string) error
	Begin(start time.Time) error
	Heal()
	End(measured bool) error
}

// beside is what is done beside the agents of an attempt.
type beside struct {
	Beside

	attended bool // it was prepared
	begun    bool
	healing  chan struct{} // closed when all is mended; nil: not yet
	told     map[string]time.Duration
}

// attend prepares an attempt of a run.
func (t *trial) attend(b Beside, run string) error {
	t.beside = beside{Beside: b, told: make(map[string]time.Duration)}
	if b.Attendant == nil {
		return nil
	}
	t.attended = true
	return b.Attendant.Prepare(fmt.Sprintf("%s-%d", run, t.first))
}

// begin begins what is done beside the agents, once.
func (t *trial) begin(start time.Time) error {
	if !t.attended || t.begun {
		return nil
	}
	t.begun = true
	return t.Attendant.Begin(start)
}

// ends ends it, and waits until what was broken is mended.
func (t *trial) ends(measured bool) error {
	if !t.attended {
		return nil
	}
	if t.healing != nil {
		<-t.healing
	}
	return t.Attendant.End(measured)
}

// mend has what was broken mended, once no agent sends or awaits anything any more, and tells
// those that wait for it.
func (c *Coordinator) mend(t *trial) {
	if !t.begun || len(t.cell.Settings.Faults) == 0 {
		return
	}
	if t.healing == nil && c.settled(t) {
		t.healing = make(chan struct{})
		go func() {
			defer close(t.healing)
			t.Attendant.Heal()
		}()
	}
	select {
	case <-t.healing:
	default:
		return // also if it is nil
	}
	now := c.now()
	for _, s := range c.roster.all() {
		if asked, before := t.told[s.name]; s.last.Settled && s.last.Key == t.key && (!before || now-asked > mendedAgain) {
			t.told[s.name] = now
			c.order(s, wire.Order{Kind: wire.Mended, Key: t.key})
		}
	}
}

// mendedAgain is how often an agent is told that it may go on.
const mendedAgain = time.Second

// settled tells whether every agent that is not lost sends and awaits nothing any more.
func (c *Coordinator) settled(t *trial) bool {
	losses := t.state.Losses()
	for _, s := range c.roster.all() {
		if _, lost := losses[s.name]; !lost && (s.last.Key != t.key || !s.last.Settled && !over(s.last.State)) {
			return false
		}
	}
	return true
}

// over tells whether nothing is sent or awaited in a state any more.
func over(s wire.State) bool {
	return slices.Contains([]wire.State{wire.Done, wire.Delivered, wire.Failed, wire.Aborted}, s)
}
