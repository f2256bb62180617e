package testbed

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/brokerbench/brokerbench/internal/run/child"
	"github.com/brokerbench/brokerbench/internal/systems/guardian"
	"github.com/brokerbench/brokerbench/internal/systems/local"
	"github.com/brokerbench/brokerbench/internal/systems/nodes"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
)

// linkSystems returns the wing that starts brokers.
func linkSystems() systemsWing {
	return systemsWing{
		New: func(b *Testbed) systems { return &starter{bed: b, targets: b.o.Targets} }, Serve: guardian.Serve,
		Parse: parseLocal, System: localSystem, Addressed: addressed, Fillable: fillableLocal, Networked: networked, Starts: startsTarget,
	}
}

// A starter starts the systems behind the targets of a run, and finds those whose nodes the plan
// lists. At most one runs at a time, so that none takes the cores that another is measured on;
// it goes on while its target is measured. It implements systems.
type starter struct {
	bed     *Testbed
	targets Targets
	guard   *guardian.Guardian

	of       plan.Target // whose system there is
	system   *nodes.System
	prepared *local.Prepared // nil if it is not a ready-made one
}

// Starts implements run.Systems.
func (*starter) Starts(t plan.Target) bool { return startsTarget(t) }

func startsTarget(t plan.Target) bool {
	if IsLocal(t.URL) {
		return true
	}
	if t.System != nil {
		for _, n := range t.System.Nodes {
			if len(n.Command) > 0 {
				return true
			}
		}
	}
	return false
}

// Start implements run.Systems: it ends the system of another target, and starts or
// finds that of this one, with all of its nodes.
func (s *starter) Start(ctx context.Context, t plan.Target) (measure.Nodes, error) {
	if s.system != nil && s.of != t {
		if err := s.end(); err != nil {
			return nil, err
		}
	}
	if s.system == nil {
		if err := s.make(ctx, t); err != nil || s.system == nil {
			return nil, err
		}
		s.of = t
	}
	if err := s.system.Start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("starting %s: %w", t.Name, err), s.end())
	}
	return s.system, nil
}

// make makes the system of a target; none if nothing is known of it.
func (s *starter) make(ctx context.Context, t plan.Target) error {
	if !IsLocal(t.URL) && t.System == nil {
		return nil
	}
	if _, err := s.guarding(); err != nil {
		return err
	}
	if s.Starts(t) {
		s.bed.o.Say("starting " + t.Name)
	}
	if IsLocal(t.URL) {
		return s.makeLocal(ctx, t)
	}
	return s.makeOwn(t)
}

// guarding returns the guardian, and starts it if there is none.
func (s *starter) guarding() (_ *guardian.Guardian, err error) {
	if s.guard == nil {
		s.guard, err = guardian.Start()
	}
	return s.guard, err
}

// makeLocal prepares a ready-made system.
func (s *starter) makeLocal(ctx context.Context, t plan.Target) error {
	parsed, err := local.Parse(t.URL)
	if err != nil {
		return err
	}
	nats, err := child.NATSCommand()
	if err != nil && parsed.Name == "nats" {
		return err
	}
	prepared, err := local.Prepare(ctx, parsed, local.Options{
		Guardian: s.guard, NATS: nats, Fronted: s.fronted(t, parsed), Network: s.makeNetwork,
	})
	if err != nil {
		return err
	}
	s.prepared = prepared
	found, err := s.targets.Table.Parse(prepared.URL)
	if err != nil {
		return err
	}
	s.targets.Parsed[t.URL] = found
	if hosts := found.Nodes(); len(hosts) == len(prepared.System.Nodes) { // of the protocol that is measured
		for i := range hosts {
			prepared.System.Nodes[i].Address = hosts[i]
		}
	}
	s.system, err = nodes.New(prepared.System, nodes.Options{Guardian: s.guard, Logs: prepared.Dir, Throwaway: true})
	return err
}

// makeOwn makes the system that the plan describes. Its logs are deleted with the run, unless
// the nodes name their own log files.
func (s *starter) makeOwn(t plan.Target) error {
	logs, err := os.MkdirTemp("", "brokerbench-logs-")
	if err != nil {
		return err
	}
	if _, err := s.guard.Before(guardian.Undo{Remove: logs}); err != nil {
		return err
	}
	s.system, err = nodes.New(addressed(s.targets, t), nodes.Options{Guardian: s.guard, Logs: logs, StartFound: s.bed.o.StartFound})
	return err
}

// addressed returns the system of a target; nodes that say nothing else are where the target
// is, one after the other.
func addressed(known Targets, t plan.Target) plan.System {
	system := *t.System
	system.Nodes = append([]plan.Node(nil), system.Nodes...)
	hosts := known.Parsed[t.URL].Nodes()
	for i := range system.Nodes {
		if system.Nodes[i].Address == "" && len(hosts) == len(system.Nodes) {
			system.Nodes[i].Address = hosts[i]
		}
	}
	return system
}

// end ends the system that there is.
func (s *starter) end() error {
	if s.system == nil {
		return nil
	}
	err := s.system.Close()
	if s.prepared != nil {
		err = errors.Join(err, s.prepared.Remove())
	}
	s.system, s.prepared = nil, nil
	return err
}

// Close implements systems.
func (s *starter) Close() error {
	err := s.end()
	if s.guard != nil {
		err = errors.Join(err, s.guard.Close())
	}
	return err
}

// Nodes implements systems.
func (s *starter) Nodes() (list []Node) {
	if s.system == nil {
		return nil
	}
	for _, n := range s.system.Nodes {
		list = append(list, Node{Node: n.Node, Process: n})
	}
	return list
}

// URL implements systems.
func (s *starter) URL(t plan.Target) string {
	if s.prepared != nil && s.of == t {
		return s.prepared.URL
	}
	return t.URL
}

// Guard implements systems.
func (s *starter) Guard() (func(Leftover) (forget func() error, err error), error) {
	guard, err := s.guarding()
	if err != nil {
		return nil, err
	}
	return func(left Leftover) (func() error, error) {
		undo := guardian.Undo{Remove: left.File}
		if left.File == "" {
			undo = guardian.Undo{Kill: &left.Process}
		}
		entry, err := guard.Before(undo)
		return func() error { return guard.Forget(entry) }, err
	}, nil
}

// fronted tells whether the nodes of a target must lead their clients to relays.
func (s *starter) fronted(t plan.Target, parsed local.Target) bool {
	return s.bed.faults != nil && s.bed.faults.Fronted(t, parsed.Network != "")
}

// makeNetwork creates the network of the target that is measured.
func (s *starter) makeNetwork(ctx context.Context, n int) (*local.Network, error) {
	if s.bed.faults == nil {
		return nil, errNoFaults
	}
	w, err := s.bed.faults.MakeNetwork(ctx, s.guard, n)
	if err != nil {
		return nil, err
	}
	made := &local.Network{Host: w.Host, Remove: w.Remove}
	for _, m := range w.Machines {
		made.Machines = append(made.Machines, local.Machine(m))
	}
	return made, nil
}
