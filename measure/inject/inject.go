// Package inject does the faults of a plan to the nodes of a target while a cell is measured,
// on the cell's clock, and mends them: processes are killed, stopped and paused, the network
// in front of a node is cut or slowed, its disk is filled, commands of the user's are run. It
// asks the target who leads, before a fault and after it.
package inject

import (
	"context"

	"github.com/brokerbench/brokerbench/internal/process"
	"github.com/brokerbench/brokerbench/internal/relay"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A Process is what can be done to a node. Each method returns when it has been done, or soon
// after ctx is done. They are called concurrently, of one node too.
type Process interface {
	Kill(ctx context.Context) error // SIGKILL; of one that has ended by itself, process.ErrEnded where that is to be seen
	Stop(ctx context.Context) error // in good order, and as Kill
	Start(ctx context.Context) error
	Pause(ctx context.Context) error
	Resume(ctx context.Context) error
}

// A Node is a node of the target.
type Node struct {
	plan.Node
	Process Process // nil: nothing can be done to it, but to the network in front of it
}

// A Leftover is a file, before it fills a disk, or the process of a command of the user's,
// with all that it starts.
type Leftover struct {
	File    string
	Process process.ID // if File is ""
}

// Options say what a Breaker breaks.
type Options struct {
	Nodes []Node // in the order of the plan
	// Network makes the network in front of a node, by its index, be in a state, and returns how
	// many connections go through it, at least. Nil: nobody stands there, and faults of the
	// network fail.
	Network func(node int, s relay.State) (connections int, err error)
	// By says what breaks the network for a fault; nil: a relay does for all.
	By func(plan.Fault) results.Means
	// Guard is told what must not be left whatever becomes of this process, until forget is
	// called. It may be nil.
	Guard func(Leftover) (forget func() error, err error)
	// Spare names files or folders whose disks are never filled, because others need them.
	Spare []string
	// Redact removes secrets from what becomes part of the result; nil: nothing is secret.
	Redact func(string) string
}

// guard is Options.Guard, if there is one.
func (o Options) guard(left Leftover) (forget func() error, err error) {
	if o.Guard == nil {
		return func() error { return nil }, nil
	}
	return o.Guard(left)
}
