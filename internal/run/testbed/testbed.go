// Package testbed holds what a plan is measured on: its targets, the systems behind them, and the
// faults that happen to them. Systems, faults and agents are wings: wings.go links those that this
// program has.
package testbed

import (
	"context"
	"errors"
	"fmt"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/internal/run"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
)

// Options say what a testbed is made for.
type Options struct {
	Targets    Targets
	Faults     []plan.Fault      // of the run
	Results    string            // the folder of results, whose disk is never filled
	Say        func(text string) // of what takes a while
	StartFound bool              // nodes of others that do not run may be started
	GiveUp     <-chan struct{}   // see [run.Runner]
}

// A Testbed starts the systems of a run, opens its targets and makes its faults happen. It is used
// from one goroutine. The caller calls Close.
type Testbed struct {
	o       Options
	systems systems   // nil without the wing
	faults  injection // nil without the wing
}

// systems start the systems behind targets, one at a time.
type systems interface {
	run.Systems
	// Nodes returns the nodes of the system that runs; nil if there is none.
	Nodes() []Node
	// URL returns where a target is reached that was started; its own URL if it was not.
	URL(t plan.Target) string
	// Guard returns what removes leftovers even if this process is killed.
	Guard() (func(Leftover) (forget func() error, err error), error)
	Close() error
}

// An injection makes the faults of a run happen.
type injection interface {
	Open(t plan.Target, run string) (requester.Factory, error)
	Driver(cell plan.Cell) (run.FaultDriver, error)
	// Via returns where the addresses of a target's nodes are dialled.
	Via(t plan.Target) (map[string]string, error)
	// Fronted reports whether the nodes of a target must advertise relays to their clients.
	// Networked means that the nodes have a separate network.
	Fronted(t plan.Target, networked bool) bool
	// MakeNetwork creates a network of n machines, which g removes in the end.
	MakeNetwork(ctx context.Context, g onExit, n int) (*Network, error)
	Close() error
}

// A Node is a node of a target.
type Node struct {
	plan.Node
	Process Process // nil: unknown
}

// A Process is what runs a node. Kill and Stop return [process.ErrEnded] if it has ended by itself
// and that is known.
type Process interface {
	Kill(ctx context.Context) error
	Stop(ctx context.Context) error
	Start(ctx context.Context) error
	Pause(ctx context.Context) error
	Resume(ctx context.Context) error
}

// A Leftover is a file, or if that is "" a process, that must not outlive this process.
type Leftover struct {
	File    string
	Process process.ID
}

// A Network connects the nodes of a system.
type Network struct {
	Host     string // the address of this machine, where clients are
	Machines []Machine
	Remove   func() error
}

// A Machine is where one node runs.
type Machine struct {
	Address   string
	Namespace string // as ip netns calls it
}

// onExit runs a command when undo is called, or else when this process has ended.
type onExit interface {
	OnExit(command []string) (undo func() error, err error)
}

// New returns a testbed. It starts nothing.
func New(o Options) *Testbed {
	b := &Testbed{o: o}
	w := linked()
	if w.systems.New != nil {
		b.systems = w.systems.New(b)
	}
	if w.faults.New != nil {
		b.faults = w.faults.New(b)
	}
	return b
}

// Fill sets what a runner has from its testbed.
func (b *Testbed) Fill(r *run.Runner) {
	r.Open, r.Echo, r.Shared, r.Observer = b.open, b.o.Targets.echo, b.o.Targets.Shared, NewObserver
	if b.systems != nil {
		r.Systems = b.systems
	}
	if b.faults != nil {
		r.Faults = b.faults.Driver
	}
}

func (b *Testbed) open(t plan.Target, run string) (requester.Factory, error) {
	if b.faults == nil {
		return b.o.Targets.Parsed[t.URL].Open(run)
	}
	return b.faults.Open(t, run)
}

// Elsewhere returns a target as another process on this machine reaches it, and where its
// addresses are dialled. Its system is started.
func (b *Testbed) Elsewhere(t plan.Target) (_ plan.Target, via map[string]string, err error) {
	if b.faults != nil {
		if via, err = b.faults.Via(t); err != nil {
			return t, nil, err
		}
	}
	if b.systems != nil {
		t.URL = b.systems.URL(t)
	}
	t.System = nil // it is for this process alone
	return t, via, nil
}

// Close ends everything that the testbed started.
func (b *Testbed) Close() (err error) {
	if b.faults != nil {
		err = b.faults.Close()
	}
	if b.systems != nil {
		err = errors.Join(err, b.systems.Close())
	}
	return err
}

// starts reports whether a target only runs once it was started.
func (b *Testbed) starts(t plan.Target) bool { return b.systems != nil && b.systems.Starts(t) }

// CheckMachine returns why targets cannot run on this machine as they say.
func (t Targets) CheckMachine(p plan.Plan) error {
	var errs []error
	w := linked()
	for _, one := range p.Targets {
		var err error
		switch {
		case w.systems.New == nil && one.System != nil:
			err = errNoSystems
		case w.systems.New == nil || !IsLocal(one.URL) || !w.systems.Networked(one.URL):
		case w.faults.CheckNetwork == nil:
			err = errNoFaults
		default:
			err = w.faults.CheckNetwork()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("target %s: %w", one.Name, err))
		}
	}
	return errors.Join(errs...)
}

// NewObserver returns what samples this process and its machine.
func NewObserver() measure.Observer { return machine.NewSampler() }
