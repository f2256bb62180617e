// Package nodes starts the nodes of a target, or finds running ones, and controls them: it kills,
// stops, starts and pauses them. The processes that it starts end with brokerbench, however that
// ends: see package guardian.
package nodes

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/ssh"
	"github.com/brokerbench/brokerbench/internal/systems/guardian"
	"github.com/brokerbench/brokerbench/plan"
)

// Options say how a system is run. Guardian is required.
type Options struct {
	Guardian *guardian.Guardian
	Logs     string // folder for the logs of nodes that name none; "": they are lost
	// Throwaway means that the nodes' data is not needed afterwards: Close kills them, which takes
	// no time, instead of shutting them down.
	Throwaway bool
	// StartFound allows to start containers and units that somebody else made, and that do not
	// run. Close stops them again.
	StartFound bool
	// SSH returns the program that runs nodes on other machines; nil: there are none. Version is that
	// of this program, which must be theirs.
	SSH     func() (*ssh.Program, error)
	Version string
}

// A System is the nodes of a target.
type System struct {
	Nodes []*Node // in the order of the plan

	guard   *guardian.Guardian
	helpers []*Node
	hosts   []*host // of the nodes on other machines
	formed  []string
	sampler sampler
}

// New makes a system of what a plan says. It starts nothing.
func New(p plan.System, o Options) (*System, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	s := &System{guard: o.Guardian, formed: p.Formed, hosts: hostsOf(p.Nodes, o)}
	for _, n := range p.Nodes {
		s.Nodes = append(s.Nodes, newNode(n, o, s.hosts))
	}
	for _, n := range p.Helpers {
		s.helpers = append(s.helpers, newNode(n, o, nil))
	}
	return s, nil
}

// Node returns the node of that name, or at that address; nil if there is none.
func (s *System) Node(name string) *Node {
	for _, n := range s.Nodes {
		if n.Name == name || n.Address == name {
			return n
		}
	}
	return nil
}

// Start starts the nodes that brokerbench starts, and returns when all nodes are ready. After
// an error everything that it started has ended.
func (s *System) Start(ctx context.Context) error {
	err := s.start(ctx)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	return nil
}

func (s *System) start(ctx context.Context) error {
	if err := errors.Join(every(s.hosts, func(h *host) error { return h.connect(ctx) })...); err != nil {
		return err
	}
	for _, n := range s.all() {
		if err := n.free(ctx); err != nil {
			return err
		}
	}
	for _, h := range s.helpers {
		if err := h.Start(ctx); err != nil {
			return err
		}
	}
	err := each(ctx, s.Nodes, (*Node).Start) // at the same time: some wait for each other
	if err == nil && len(s.formed) > 0 {
		err = s.form(ctx)
	}
	return err
}

// form waits until the nodes are a cluster.
func (s *System) form(ctx context.Context) error {
	patience := usualPatience
	for _, n := range s.Nodes {
		patience = max(patience, n.patience())
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("%d nodes are ready, but no cluster after %v", len(s.Nodes), patience))
	defer cancel()
	return until(ctx, func() (bool, error) { return succeeds(ctx, s.formed), s.ended() })
}

// ended returns an error if a node has ended that was started.
func (s *System) ended() error {
	for _, n := range s.Nodes {
		if err := n.endedEarly(); err != nil {
			return err
		}
	}
	return nil
}

// Close lets go on what was paused, starts again what is not ours and was stopped or stops it
// again, and ends what Start started. It returns when that is done. It is safe to call twice.
func (s *System) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	errs := every(s.Nodes, func(n *Node) error { return n.close(ctx) })
	errs = append(errs, every(s.hosts, func(h *host) error { return h.close(ctx) })...)
	return errors.Join(append(errs, every(s.helpers, func(n *Node) error { return n.close(ctx) })...)...)
}

// closing bounds Close: a node that does not end in good order is killed before.
const closing = time.Minute

func (s *System) all() []*Node { return slices.Concat(s.helpers, s.Nodes) }

// each calls do for all nodes at the same time. The first error ends the others' context.
func each(ctx context.Context, nodes []*Node, do func(*Node, context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := every(nodes, func(n *Node) error {
		err := do(n, ctx)
		if err != nil {
			cancel()
		}
		return err
	})
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) { // the cause of the others
			return err
		}
	}
	return errors.Join(errs...)
}

// every calls do for all nodes or hosts at the same time, regardless of errors, and returns all of
// the errors.
func every[T any](all []T, do func(T) error) []error {
	errs := make([]error, len(all))
	var doing sync.WaitGroup
	for i, one := range all {
		doing.Go(func() { errs[i] = do(one) })
	}
	doing.Wait()
	return errs
}

// logOf returns the log of a node.
func (o Options) logOf(n plan.Node) string {
	if n.Log != "" || o.Logs == "" {
		return n.Log
	}
	return filepath.Join(o.Logs, "node-"+plan.FileName(n.Name)+".log")
}
