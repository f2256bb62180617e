package testbed

import (
	"context"
	"errors"
	"time"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/internal/agents/agent"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/internal/run"
	"github.com/brokerbench/brokerbench/internal/run/child"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// MeasurePart measures an agent's part of a cell, and leaves the files in dir.
func MeasurePart(ctx context.Context, table brokers.Table, t wire.Task, dir string, hooks agent.Hooks) error {
	known := NewTargets(table)
	if _, err := known.Parse(t.Cell.Target.URL); err != nil {
		return err
	}
	floor, err := known.floorOfPart(ctx, t)
	if err != nil {
		return err
	}
	f, err := known.Parsed[t.Cell.Target.URL].Through(t.Via).Open(t.Run)
	if err != nil {
		return err
	}
	back, err := known.echoOfPart(t, hooks)
	if err != nil {
		return err
	}
	var faults run.FaultDriver
	faults, err = faultsOfPart(t.Cell, t.Part, hooks.GiveUp) // internal/faults
	if err != nil {
		return err
	}
	_, err = run.Cell(ctx, f, t.Cell, run.Options{
		Options: measure.Options{
			ID: t.ID, Folder: results.OpenCell(dir), Part: t.Part, Redact: brokers.Redact, Observer: NewObserver(), Echo: back,
			Ready: hooks.Ready, Started: hooks.Started, Settled: settledWith(t, hooks), GiveUp: hooks.GiveUp,
			Progress: func(p measure.Progress) { hooks.Progress(p.Due, p.Done) },
		},
		Shared: known.Shared(t.Cell.Target), Floor: floor, Faults: faults,
		Finish: func(_ plan.Cell, raw measure.Raw) { hooks.Spanned(raw.FirstDone, raw.LastDone) },
	})
	return err
}

// settledWith returns what waits until the coordinator has repaired what faults broke; nil without
// faults.
func settledWith(t wire.Task, hooks agent.Hooks) func() {
	if len(t.Cell.Settings.Faults) == 0 {
		return nil
	}
	return hooks.Settled
}

// floorOfPart measures what the part costs without a broker, if that is wanted.
func (t Targets) floorOfPart(ctx context.Context, task wire.Task) (_ *results.Floor, err error) {
	if !task.Cell.Settings.Floor {
		return nil, nil
	}
	cell, err := task.Cell.Part(task.Part)
	if err != nil {
		return nil, err
	}
	if floor, err := t.OwnFloor(ctx, cell); floor != nil || err != nil {
		return floor, err
	}
	echo, err := child.StartTCP(loopback.Config{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, echo.Stop()) }()
	return run.Floor(ctx, cell, echo)
}

// echoOfPart returns who sends back what an agent sends; nil without an echo.
func (t Targets) echoOfPart(task wire.Task, hooks agent.Hooks) (measure.Echo, error) {
	if task.Cell.Settings.Echo == "" {
		return nil, nil
	}
	run, part := task.Run, task.Part
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
		e.Echo.Close() // nobody else does
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
