package testbed

import (
	"context"
	"errors"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/internal/agents/agent"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/internal/run"
	"github.com/brokerbench/brokerbench/internal/run/child"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// MeasurePart measures an agent's part of a cell, and leaves the files in dir.
func MeasurePart(ctx context.Context, table brokers.Table, t wire.Task, dir string, hooks agent.Hooks) error {
	known := NewTargets(table)
	if _, err := known.Parse(t.Cell.Target.URL); err != nil {
		return err
	}
	part := schedule.Part{Index: t.Index, Of: t.Of}
	floor, err := floorOfPart(ctx, t, part)
	if err != nil {
		return err
	}
	f, err := known.Parsed[t.Cell.Target.URL].Through(t.Via).Open(t.Run)
	if err != nil {
		return err
	}
	back, err := known.echoOfPart(t, part, hooks)
	if err != nil {
		return err
	}
	var faults run.FaultDriver
	faults, err = faultsOfPart(t.Cell, part, hooks.GiveUp) // internal/faults
	if err != nil {
		return err
	}
	_, err = run.Cell(ctx, f, t.Cell, run.Options{
		Options: measure.Options{
			ID: t.ID, Folder: results.OpenCell(dir), Part: part, Redact: brokers.Redact, Observer: NewObserver(), Echo: back,
			Ready: hooks.Ready, Started: hooks.Started, Settled: settledWith(t, hooks), GiveUp: hooks.GiveUp,
			Progress: func(p measure.Progress) { hooks.Progress(p.Due, p.Done) },
		},
		Shared: known.Shared(t.Cell.Target), Floor: floor, Faults: faults,
		Finish: func(raw measure.Raw) { hooks.Spanned(raw.FirstDone, raw.LastDone) },
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
func floorOfPart(ctx context.Context, t wire.Task, part schedule.Part) (_ *results.Floor, err error) {
	if !t.Cell.Settings.Floor {
		return nil, nil
	}
	cell, err := t.Cell.Part(part)
	if err != nil {
		return nil, err
	}
	echo, err := child.StartTCP(loopback.Config{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, echo.Stop()) }()
	return run.Floor(ctx, cell, echo)
}
