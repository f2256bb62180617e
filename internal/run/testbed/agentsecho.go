package testbed

import (
	"context"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/agent"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/internal/run/child"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// echoOfPart returns who sends back what an agent sends; nil without an echo.
func (t Targets) echoOfPart(task wire.Task, part schedule.Part, hooks agent.Hooks) (measure.Echo, error) {
	if task.Cell.Settings.Echo == "" {
		return nil, nil
	}
	run := task.Run
	if n := task.Echo; n != nil {
		run, part.Index = n.Run, n.Index
	}
	cell, err := task.Cell.Part(part)
	if err != nil {
		return nil, err
	}
	e := &child.Echo{EchoConfig: t.echoConfig(cell, run)}
	if task.Echo == nil {
		return e, nil
	}
	return &echoNeighbour{Echo: e, hooks: hooks}, nil
}

// An echoNeighbour echoes the messages of the next agent, while another agent echoes this one's.
// It implements measure.Echo: it reports its own work.
type echoNeighbour struct {
	*child.Echo

	hooks agent.Hooks
	known *results.EchoClock // nil if a clock is not known
}

// neighbourWait is how long the other agents may take to be ready to send back.
const neighbourWait = 45 * time.Second

// Open implements measure.Echo.
func (e *echoNeighbour) Open(ctx context.Context) (measure.EchoOpened, error) {
	opened, err := e.Echo.Open(ctx)
	if err != nil {
		return opened, err
	}
	e.hooks.Keep(func() { e.Echo.Close() }) // the other agent may not be done when this one is
	opened.Wait = neighbourWait
	if opened.Clock == nil {
		return opened, nil
	}
	e.known = &results.EchoClock{Source: "two machines: compared through the coordinator; " + machine.TimeSync(ctx)}
	opened.Known = e.known
	opened.Clock = func(time.Time) int64 { return int64(e.hooks.Echo().At) }
	return opened, nil
}

// Report implements measure.Echo.
func (e *echoNeighbour) Report() measure.EchoReport {
	if e.known != nil {
		e.known.BoundNS = int64(e.hooks.Echo().Bound)
	}
	r := e.Echo.Report()
	r.Kind = string(plan.EchoAgent)
	return r
}

// Close implements measure.Echo: it ends with the task, see Open.
func (*echoNeighbour) Close() []string { return nil }
