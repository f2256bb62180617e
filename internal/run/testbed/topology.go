package testbed

import (
	"errors"
	"fmt"

	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
)

// CheckTopology rejects topologies that a target cannot have, or that do not go with the rest of the plan.
func (t Targets) CheckTopology(p plan.Plan) error {
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
			if err := t.mayGroup(one, requester.Topology(s.Topology), ask.backlog); err != nil {
				errs = append(errs, fmt.Errorf("target %s: %w", one.Name, err))
			}
		}
	}
	if len(seen) > 0 {
		errs = append(errs, p.Validate())
	}
	return errors.Join(errs...)
}

// CheckHeaders rejects headers that the messages of a target cannot have, and contents that do not go with the
// rest of the plan.
func (t Targets) CheckHeaders(p plan.Plan) error {
	var errs []error
	seen := make(map[plan.Headers]bool)
	for _, s := range p.Shapes {
		if s.MessageText() != "" && len(errs) == 0 {
			errs = append(errs, p.Validate())
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

func (t Targets) mayGroup(one plan.Target, topology requester.Topology, backlog bool) error {
	f, err := t.Parsed[one.URL].Open("check")
	if err == nil {
		_, err = requester.Arrange(f, topology)
	}
	if err == nil && backlog {
		err = requester.Keep(f, topology)
	}
	return err
}
