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
	mendTime    = 6 * time.Minute // until what was broken is mended
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
func (c *Coordinator) Measure(ctx context.Context, cell plan.Cell, id string, folder *results.CellFolder) ([]merge.Part, time.Time, error) {
	return c.MeasureWith(ctx, cell, id, folder, Central{})
}

// MeasureWith is Measure with a driver.
func (c *Coordinator) MeasureWith(ctx context.Context, cell plan.Cell, id string, folder *results.CellFolder, b Central) ([]merge.Part, time.Time, error) {
	reason := ""
	for range attempts {
		if err := c.Gather(ctx); err != nil {
			return nil, time.Time{}, errors.Join(err, given(reason))
		}
		a := c.begin(cell, id)
		if err := a.attend(b, c.cfg.Run); err != nil {
			return nil, time.Time{}, err
		}
		parts, start, end, err := c.attempt(ctx, a, folder)
		if err := a.ends(err == nil && end == attempt.Measured); err != nil {
			c.cfg.Say(fmt.Sprintf("%s: %v", cell, err)) // it is no reason to measure again
		}
		if err == nil && end == attempt.Measured {
			return parts, start, nil
		}
		if end == attempt.Broken {
			return nil, time.Time{}, err
		}
		if end == attempt.Interrupted {
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

// synced is a reading of an agent's clock.
type synced struct {
	agent string
	clock attempt.Clock
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
	central
	clocks map[string]*compared
	next   time.Duration // when clocks are compared again

	reading   context.Context          // ends with the attempt, and with it what still reads a clock
	read      map[string]time.Duration // when the clocks of the state were read
	delivered map[string]wire.Beat     // what said so, by the names of the agents
}

// begin returns a new attempt to measure a cell.
func (c *Coordinator) begin(cell plan.Cell, id string) *trial {
	t := &trial{
		cell: cell, id: id, key: fmt.Sprint(c.number), first: c.number, seats: c.roster.all(), synced: make(chan synced, len(c.cfg.Agents)), asking: make(map[string]bool),
		clocks: make(map[string]*compared), read: make(map[string]time.Duration), delivered: make(map[string]wire.Beat),
	}
	c.number += len(c.cfg.Agents)
	for len(c.gone) > 0 {
		<-c.gone // of an attempt before
	}
	t.state = attempt.New(c.config(t), c.now())
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
		took += mendTime
	}
	each := (t.cell.Shape.Connections + len(t.seats) - 1) / len(t.seats)
	prepare := prepareTime + time.Duration((each-1)/setupAtOnce)*setupTime
	if s.Floor {
		prepare += 2 * t.cell.FloorTook()
	}
	return attempt.Config{
		Key: t.key, Agents: c.cfg.Agents, Prepare: prepare, Sync: syncTime + time.Duration(len(c.cfg.Agents))*syncEach, Due: due, Took: took, Deliver: deliverTime,
		Lease: c.cfg.Lease, MaxSkew: c.cfg.MaxSkew, Keep: c.cfg.Keep,
	}
}

// attempt drives an attempt to its end, and reads what was delivered.
func (c *Coordinator) attempt(ctx context.Context, t *trial, folder *results.CellFolder) ([]merge.Part, time.Time, attempt.End, error) {
	if err := c.deliveries.begin(t.key, folder.Dir()); err != nil {
		return nil, time.Time{}, attempt.Broken, err
	}
	defer c.deliveries.end()
	c.roster.play(true)
	end, reason := c.drive(ctx, t)
	c.roster.play(false)
	if end != attempt.Measured {
		return nil, time.Time{}, end, errors.New(reason)
	}
	start := c.began.Add(t.state.Start())
	parts, err := c.collect(ctx, t, folder)
	if err == nil && ctx.Err() == nil && !c.cfg.Keep {
		err = t.stoppedEarly(parts)
	}
	if err != nil {
		return nil, start, attempt.GivenUp, err
	}
	return parts, start, end, nil
}

// stoppedEarly returns an error if agents ended before the schedule or the audit did, although
// the coordinator did not tell them to: their user did, or they heard of no coordinator for longer
// than their lease.
func (t *trial) stoppedEarly(parts []merge.Part) error {
	var texts []string
	for _, p := range parts {
		leaves := t.delivered[p.Name].Leaving
		switch {
		case p.Cell == nil:
		case leaves && (p.Cell.Interrupted || p.Cell.Audit != nil && p.Cell.Audit.Error != ""):
			texts = append(texts, fmt.Sprintf("agent %s stopped before the end: %s", p.Name, attempt.Leaves))
		case p.Cell.Interrupted:
			texts = append(texts, fmt.Sprintf("agent %s stopped before the end: it had no contact with the coordinator for longer than its lease", p.Name))
		}
	}
	if texts == nil {
		return nil
	}
	return errors.New(strings.Join(texts, "; "))
}

func (t *trial) epochOf(name string) string { return t.seats[t.index(name)].epoch }

func (t *trial) index(name string) int {
	return slices.IndexFunc(t.seats, func(s seat) bool { return s.name == name })
}
