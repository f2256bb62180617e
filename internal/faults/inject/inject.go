// Package inject makes the faults of a plan happen to the nodes of a target while a cell is
// measured, on the cell's clock, and repairs them: it kills, stops and pauses processes, cuts or
// slows the network in front of a node, fills its disk, and runs the user's commands. It asks the
// target for its leader before and after a fault.
package inject

import (
	"context"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A Process is the process of a node. Each method returns when it has succeeded, or soon after ctx
// is done. Methods of one node may be called concurrently.
type Process interface {
	Kill(ctx context.Context) error // SIGKILL; process.ErrEnded if it has ended by itself and that is known
	Stop(ctx context.Context) error // in good order, and as Kill
	Start(ctx context.Context) error
	Pause(ctx context.Context) error
	Resume(ctx context.Context) error
}

// A Node is a node of the target.
type Node struct {
	plan.Node
	Process Process // nil: only the network in front of it can break
}

// A Leftover is one of: a file that is about to fill a disk; a command that mounts a disk again; the
// process of a user's command with all processes that it starts.
type Leftover struct {
	File    string
	Command []string
	Process process.ID // if the others are empty
}

// Options say what an injector acts on.
type Options struct {
	Nodes []Node // in the order of the plan
	// Network sets the state of the network in front of a node, by its index, and returns at least
	// how many connections go through it. Nil: faults of the network fail.
	Network func(node int, s relay.State) (connections int, err error)
	// By says what breaks the network for a fault; nil: a relay does for all.
	By func(plan.Fault) results.Means
	// Guard is told of leftovers that must be removed even if this process is killed, until forget
	// is called. It may be nil.
	Guard func(Leftover) (forget func() error, err error)
	// Spare names files or folders whose disks are never filled, because others need them.
	Spare []string
	// Redact removes secrets from texts of the result; nil: nothing is secret.
	Redact func(string) string
}

// withDefaults returns the options with a function for each that is nil.
func (o Options) withDefaults() Options {
	if o.Network == nil {
		o.Network = func(int, relay.State) (int, error) { return 0, errNoRelay }
	}
	if o.By == nil {
		o.By = func(plan.Fault) results.Means { return results.ByRelay }
	}
	if o.Guard == nil {
		o.Guard = func(Leftover) (func() error, error) { return func() error { return nil }, nil }
	}
	if o.Redact == nil {
		o.Redact = func(text string) string { return text }
	}
	return o
}
