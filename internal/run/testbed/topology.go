package testbed

import (
	"errors"
	"fmt"
	"slices"

	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
)

// Check rejects what does not go together in a plan, and what a target of it cannot have or do.
func (t Targets) Check(p plan.Plan) error {
	return errors.Join(p.Validate(), t.checkEcho(p), t.checkTopology(p), t.checkHeaders(p))
}

// checkTopology rejects topologies that a target cannot have.
func (t Targets) checkTopology(p plan.Plan) error {
	var errs []error
	type asked struct { // of a target
		plan.Topology
		backlog bool
	}
	seen := make(map[asked]bool)
	for _, s := range p.Shapes {
		ask := asked{s.Topology, s.Backlog != (plan.Backlog{})}
		if s.Topology.Own() || seen[ask] {
			continue
		}
		seen[ask] = true
		for _, one := range p.Targets {
			if err := t.mayGroup(one, requester.Topology(s.Topology), ask.backlog, p.Settings.Faults); err != nil {
				errs = append(errs, fmt.Errorf("target %s: %w", one.Name, err))
			}
		}
	}
	return errors.Join(errs...)
}

// checkHeaders rejects headers and keys that the messages of a target cannot have.
func (t Targets) checkHeaders(p plan.Plan) error {
	var errs []error
	type keyed struct {
		keys     schedule.Keys
		topology plan.Topology
	}
	seen, asked := make(map[plan.Headers]bool), make(map[keyed]bool)
	for _, s := range p.Shapes {
		if k := (keyed{s.Keys, s.Topology}); s.Keys.Count > 0 && !asked[k] {
			asked[k] = true
			errs = append(errs, t.checkKeys(p, s))
		}
		if s.Headers.Count == 0 || seen[s.Headers] {
			continue
		}
		seen[s.Headers] = true
		for _, one := range p.Targets {
			f, err := t.Parsed[one.URL].Open("check")
			if err == nil {
				err = requester.Carry(f, measure.Headers(s, p.Settings.Seed))
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("target %s: %s: %w (leave out the headers)", one.Name, s.Headers.Text(), err))
			}
		}
	}
	return errors.Join(errs...)
}

// checkKeys rejects keys that the messages of a target cannot have.
func (t Targets) checkKeys(p plan.Plan, s plan.Shape) error {
	var errs []error
	for _, one := range p.Targets {
		if err := t.mayKey(p, s, one); err != nil {
			errs = append(errs, fmt.Errorf("target %s: keys %v: %w (leave out the keys)", one.Name, s.Keys, err))
		}
	}
	return errors.Join(errs...)
}

// mayKey returns why the messages of a target cannot have keys. checkTopology reports what is wrong with the topology.
func (t Targets) mayKey(p plan.Plan, s plan.Shape, one plan.Target) error {
	f, err := t.Parsed[one.URL].Open("check")
	if err != nil {
		return err
	}
	topology := requester.Topology(s.Topology)
	g, ok := requester.As[requester.Grouper](f)
	if !topology.Own() && (!ok || g.TakeTopology(topology) != nil) {
		return nil
	}
	err = requester.Key(f, measure.Keys(plan.Shape{Keys: s.Keys}, p.Settings.Seed))
	if err != nil || topology.Own() || !slices.ContainsFunc(p.Settings.Faults, plan.Fault.OfMember) {
		return err
	}
	c, err := g.NewConsumer(requester.Member{}, requester.Replies(func([]byte) {}))
	if _, mortal := c.(requester.Mortal); err == nil && !mortal {
		err = errors.New("the topics of a member go to no other member, so that none can join, leave or be killed")
	}
	return err
}

// mayGroup returns why a target cannot have a topology, or the backlog or the faults of its members.
func (t Targets) mayGroup(one plan.Target, topology requester.Topology, backlog bool, faults []plan.Fault) error {
	f, err := t.Parsed[one.URL].Open("check")
	if err != nil {
		return err
	}
	g, err := requester.Arrange(f, topology)
	if err == nil && backlog {
		err = mayFill(f, topology)
	}
	if err != nil || !slices.ContainsFunc(faults, plan.Fault.OfMember) {
		return err
	}
	c, err := g.NewConsumer(requester.Member{}, requester.Replies(func([]byte) {}))
	if _, mortal := c.(requester.Mortal); err == nil && !mortal {
		err = &requester.TopologyError{Topology: topology, Reason: "members of this system cannot join, leave or be killed while messages are sent yet"}
	}
	return err
}

// mayFill returns why a target, which has taken a topology, cannot have a backlog.
func mayFill(f requester.Factory, topology requester.Topology) error {
	if err := requester.Keep(f, topology); err != nil {
		return err
	}
	r, err := f.New(0, requester.Replies(func([]byte) {}))
	if err == nil && !r.Traits().Acknowledges {
		err = requester.ErrUnacknowledged
	}
	return err
}
