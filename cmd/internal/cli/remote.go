package cli

import (
	"context"
	"errors"

	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/run/testbed"
	"github.com/brokerbench/brokerbench/plan"
)

// A remote says which processes measure a run. Flags define it.
type remote interface {
	define(f *pflag.FlagSet)
	// place checks whether the agents that the flags name can measure some plans.
	place(known testbed.Targets, plans ...plan.Plan) error
	// count returns how many agents measure; 0: this process does.
	count() int
	// keeps reports whether a cell is kept that has lost an agent.
	keeps() bool
	// start returns when all agents are there. Once says why the run cannot be resumed; "" if it can.
	start(ctx context.Context, s command.Streams, p plan.Plan, once string) (remoteRun, error)
}

// A remoteRun is a run that agents measure.
type remoteRun interface {
	// Begun says that the folder of results is there.
	Begun(dir string) error
	// attach lets agents measure the cells of a run.
	attach(m *measuring)
	// End is called after the last cell: agents need not wait.
	End(ctx context.Context) error
	Close()
	// fail returns the error of a run with its exit code.
	fail(err error) error
}

// newRemote returns the flags that say where a run is measured: of the last one, which is agents
// if they are built in.
func newRemote() remote {
	known := []remote{onlyHere{}}
	known = append(known, new(agentsFlags)) // internal/agents
	return known[len(known)-1]
}

// onlyHere is the remote of a program without agents.
type onlyHere struct{}

func (onlyHere) define(*pflag.FlagSet) {}

func (onlyHere) place(testbed.Targets, ...plan.Plan) error { return nil }

func (onlyHere) count() int { return 0 }

func (onlyHere) keeps() bool { return false }

func (onlyHere) start(context.Context, command.Streams, plan.Plan, string) (remoteRun, error) {
	return nil, errors.New("this program was built without agents")
}
