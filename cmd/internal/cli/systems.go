package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/brokerbench/brokerbench/cmd/internal/child"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/system"
	"github.com/brokerbench/brokerbench/system/guardian"
	"github.com/brokerbench/brokerbench/system/local"
)

// systems are the systems behind the targets of a run: those that brokerbench starts, and
// those of which it knows the nodes. At most one runs at a time, so that none takes the cores
// that another is measured on; it goes on while its target is measured. It is used from one
// goroutine.
type systems struct {
	targets targets
	say     func(text string) // of what takes a while
	guard   *guardian.Guardian
	faults  []plan.Fault // of the run

	startFound bool // nodes of others that do not run may be started

	of       plan.Target // whose system there is
	system   *system.System
	prepared *local.Prepared // nil if it is not a ready-made one
}

// Starts implements measure.Systems.
func (s *systems) Starts(t plan.Target) bool {
	if local.Is(t.URL) {
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

// Start implements measure.Systems: it ends the system of another target, and starts or
// finds that of this one, with all of its nodes.
func (s *systems) Start(ctx context.Context, t plan.Target) (measure.Nodes, error) {
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
func (s *systems) make(ctx context.Context, t plan.Target) error {
	if !local.Is(t.URL) && t.System == nil {
		return nil
	}
	if _, err := s.guarding(); err != nil {
		return err
	}
	if s.Starts(t) {
		s.say("starting " + t.Name)
	}
	if local.Is(t.URL) {
		return s.makeLocal(ctx, t)
	}
	return s.makeOwn(t)
}

// guarding returns the guardian, and starts it if there is none.
func (s *systems) guarding() (_ *guardian.Guardian, err error) {
	if s.guard == nil {
		s.guard, err = guardian.Start()
	}
	return s.guard, err
}

// makeLocal prepares a ready-made system.
func (s *systems) makeLocal(ctx context.Context, t plan.Target) error {
	parsed, err := local.Parse(t.URL)
	if err != nil {
		return err
	}
	nats, err := child.NATSCommand()
	if err != nil && parsed.Name == "nats" {
		return err
	}
	prepared, err := local.Prepare(ctx, parsed, local.Options{
		Guardian: s.guard, NATS: nats, Fronted: s.front(t, parsed),
	})
	if err != nil {
		return err
	}
	s.prepared = prepared
	found, err := s.targets.table.Parse(prepared.URL)
	if err != nil {
		return err
	}
	s.targets.parsed[t.URL] = found
	if hosts := found.Nodes(); len(hosts) == len(prepared.System.Nodes) { // of the protocol that is measured
		for i := range hosts {
			prepared.System.Nodes[i].Address = hosts[i]
		}
	}
	s.system, err = system.New(prepared.System, system.Options{Guardian: s.guard, Logs: prepared.Dir, Throwaway: true})
	return err
}

// makeOwn makes the system that the plan describes. Its logs are thrown away with the run,
// unless the nodes name files of their own.
func (s *systems) makeOwn(t plan.Target) error {
	logs, err := os.MkdirTemp("", "brokerbench-logs-")
	if err != nil {
		return err
	}
	if _, err := s.guard.Before(guardian.Undo{Remove: logs}); err != nil {
		return err
	}
	s.system, err = system.New(s.addressed(t), system.Options{Guardian: s.guard, Logs: logs, StartFound: s.startFound})
	return err
}

// addressed returns the system of a target; nodes that say nothing else are where the target
// is, one after the other.
func (s *systems) addressed(t plan.Target) plan.System {
	known := *t.System
	known.Nodes = append([]plan.Node(nil), known.Nodes...)
	hosts := s.targets.parsed[t.URL].Nodes()
	for i := range known.Nodes {
		if known.Nodes[i].Address == "" && len(hosts) == len(known.Nodes) {
			known.Nodes[i].Address = hosts[i]
		}
	}
	return known
}

// end ends the system that there is.
func (s *systems) end() error {
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

// close ends everything.
func (s *systems) close() error {
	err := s.end()
	if s.guard != nil {
		err = errors.Join(err, s.guard.Close())
	}
	return err
}
