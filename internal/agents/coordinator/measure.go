package coordinator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/attempt"
	"github.com/brokerbench/brokerbench/internal/agents/merge"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// How long agents may take, besides what the cell says.
const (
	healTime    = 6 * time.Minute // until what was broken is healed
	prepareTime = time.Minute
	setupTime   = 30 * time.Second // for so many connections at once, see package load
	setupAtOnce = 16
	syncTime    = 20 * time.Second // and syncEach for each agent: they are read a few at a time
	syncEach    = 500 * time.Millisecond
	auditTime   = 10 * time.Minute // as long as an audit may take at least, see package measure
	deliverTime = time.Minute
)

// Measure measures a cell on the agents and returns their parts, in the order of their
// indexes, and when the schedule began. Each agent's files are in a separate folder in folder.
// If an attempt loses an agent, Measure gives it up and tries again once all agents are back.
// After three attempts, or if an agent does not come back, the error is ErrLost. When ctx ends,
// the agents deliver the measurements that they have so far.
func (c *Coordinator) Measure(ctx context.Context, cell plan.Cell, id string, folder *results.CellFolder, b Central) ([]merge.Part, time.Time, error) {
	var reason error // the last attempt was given up for
	for n := 0; n < attempts; {
		if err := c.Gather(ctx); err != nil {
			return nil, time.Time{}, c.cut(errors.Join(err, reason))
		}
		t := c.held(cell, id)
		if t == nil {
			n++
			t = c.begin(cell, id)
			if err := t.attend(b, c.cfg.Run); err != nil {
				return nil, time.Time{}, err
			}
		}
		t.dir = folder.Dir()
		parts, end, err := c.attempt(ctx, t, folder)
		if err := t.ends(end == attempt.Measured); err != nil {
			c.cfg.Say(fmt.Sprintf("%s: %v", cell, err)) // it is no reason to measure again
		}
		switch end {
		case attempt.Measured:
			return parts, c.began.Add(t.state.Start()), nil
		case attempt.Broken:
			return nil, time.Time{}, err
		case attempt.Interrupted:
			return nil, time.Time{}, errors.Join(err, context.Cause(ctx))
		case attempt.GivenUp:
		}
		reason = err
		c.cfg.Say(fmt.Sprintf("%s: given up: %v", cell, reason))
	}
	return nil, time.Time{}, c.cut(fmt.Errorf("%w: %d attempts: %w", ErrLost, attempts, reason))
}

// cut adds to the error of a cell that there is no connection to the control server, if so: no agent
// is to blame.
func (c *Coordinator) cut(err error) error {
	if c.cfg.Conn.IsConnected() || !errors.Is(err, ErrLost) {
		return err
	}
	return fmt.Errorf("%w: the control server does not answer: %w", ErrHalted, err)
}

// synced is a reading of an agent's clock.
type synced struct {
	agent *participant
	clock attempt.Clock
}

// A trial is an attempt under way.
type trial struct {
	cell   plan.Cell
	id     string
	key    string
	first  int // the number of the first part, of all of the run
	agents []*participant
	state  *attempt.Machine
	synced chan synced
	central
	next time.Duration // when clocks are compared again
	dir  string        // of the cell's files
	full bool          // the user knows that results cannot be stored

	held  bool // another coordinator began it
	noted bool // see note

	reading context.Context // ends with the attempt, and with it what still reads a clock
}

// A participant is an agent in an attempt.
type participant struct {
	seat // as the attempt began

	asking    bool          // its clock is being read
	read      time.Duration // when the clock that the state has was read
	compared  compared
	delivered wire.Beat     // says so
	told      time.Duration // when it was told that everything is repaired, or to deliver again; 0: not yet
}

// begin returns a new attempt to measure a cell.
func (c *Coordinator) begin(cell plan.Cell, id string) *trial {
	t := c.newTrial(cell, id, fmt.Sprint(c.number))
	c.number += len(c.cfg.Agents)
	t.state = attempt.New(c.config(t), c.now())
	return t
}

// newTrial returns an attempt without its state.
func (c *Coordinator) newTrial(cell plan.Cell, id, key string) *trial {
	t := &trial{cell: cell, id: id, key: key, first: c.number, synced: make(chan synced, len(c.cfg.Agents))}
	for _, s := range c.roster.all() {
		t.agents = append(t.agents, &participant{seat: s})
	}
	for len(c.gone) > 0 {
		<-c.gone // of an attempt before
	}
	return t
}

func (c *Coordinator) config(t *trial) attempt.Config {
	s := t.cell.Settings
	due := s.Warmup + s.Duration
	took := due + s.Timeout + deliverTime
	if s.Audit {
		took += auditTime + 2*s.Duration
	}
	if len(s.Faults) > 0 {
		took += healTime
	}
	each := (t.cell.Shape.Connections + len(t.agents) - 1) / len(t.agents)
	prepare := prepareTime + time.Duration((each-1)/setupAtOnce)*setupTime
	if s.Floor {
		prepare += 2 * t.cell.FloorTook()
	}
	return attempt.Config{
		Key: t.key, Agents: c.cfg.Agents, Prepare: prepare, Sync: syncTime + time.Duration(len(c.cfg.Agents))*syncEach, Due: due, Took: took, Deliver: deliverTime,
		Lease: c.cfg.Lease, MaxSkew: c.cfg.MaxSkew, Keep: c.cfg.Keep,
	}
}

// attempt drives an attempt to its end, and reads what was delivered. The error says why it is not
// measured.
func (c *Coordinator) attempt(ctx context.Context, t *trial, folder *results.CellFolder) ([]merge.Part, attempt.End, error) {
	err := c.Room(ctx, folder.Dir(), func() error { return c.deliveries.begin(t.key, folder.Dir(), mostBytes(t.cell)) })
	if err != nil {
		return nil, attempt.Broken, halted(err)
	}
	defer c.deliveries.end()
	c.roster.play(true)
	end, reason := c.drive(ctx, t)
	c.roster.play(false)
	if _, err := c.deliveries.progress(c.now()); err != nil { // the user does not wait for the disk
		return nil, attempt.Broken, halted(err)
	}
	if end != attempt.Measured {
		return nil, end, errors.New(reason)
	}
	parts, err := c.collect(ctx, t, folder)
	if err == nil && ctx.Err() == nil && (t.held || !c.cfg.Keep) {
		err = t.stoppedEarly(parts)
	}
	switch {
	case local(err):
		return nil, attempt.Broken, halted(err)
	case err != nil:
		return nil, attempt.GivenUp, err
	}
	return parts, end, nil
}

// stoppedEarly returns an error if agents ended before the schedule or the audit did, although
// the coordinator did not tell them to: their user did, or they heard of no coordinator for longer
// than their lease.
func (t *trial) stoppedEarly(parts []merge.Part) error {
	var errs []string
	for i, p := range parts {
		switch {
		case p.Cell == nil:
		case t.agents[i].delivered.Leaving && (p.Cell.Interrupted || p.Cell.Audit != nil && p.Cell.Audit.Error != ""):
			errs = append(errs, fmt.Sprintf("agent %s stopped before the end: %s", p.Name, attempt.Leaves))
		case p.Cell.Interrupted || t.held && p.Cell.Audit != nil && p.Cell.Audit.Error != "":
			errs = append(errs, fmt.Sprintf("agent %s stopped before the end: it had no contact with the coordinator for longer than its lease", p.Name))
		}
	}
	if errs == nil {
		return nil
	}
	return errors.New(strings.Join(errs, "; "))
}

// agent returns the participant with a name.
func (t *trial) agent(name string) *participant {
	return t.agents[slices.IndexFunc(t.agents, func(p *participant) bool { return p.name == name })]
}
