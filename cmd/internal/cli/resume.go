package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/report"
	"github.com/brokerbench/brokerbench/results"
)

const resumeLong = `Resume goes on with a run on agents whose coordinator died: on the machine, and as the user, that
it ran on. Agents that were started with brokerbench agent --join FILE have finished the
cell that was under way and deliver it; others are started again, and that cell is measured
again. The cells that were measured before are kept.`

func newResume(s Streams, args []string) *cobra.Command {
	o := runOptions{measureOptions: measureOptions{args: args}}
	c := &cobra.Command{
		Use:   "resume RUN",
		Short: "Go on with a run on agents whose coordinator died",
		Long:  resumeLong,
		Example: `  brokerbench resume results/20261122-101500-run
  brokerbench resume results/latest`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return resume(c.Context(), s, o, args[0]) },
	}
	o.define(c.Flags())
	defineDetails(c.Flags(), &o.details)
	return c
}

func resume(ctx context.Context, s Streams, o runOptions, dir string) error {
	if err := o.check(); err != nil {
		return err
	}
	store, err := results.Open(dir)
	if err != nil {
		return usage(err)
	}
	run, err := store.Run()
	if err != nil {
		return err
	}
	state, err := readRunState(s, run)
	if err != nil {
		return usage(err)
	}
	if state.Once != "" {
		return usage(errors.Join(fmt.Errorf("run %s cannot be gone on with: %s: measure it again", run.ID, state.Once), state.remove()))
	}
	if o.agents, err = state.flags(); err != nil {
		return err
	}
	o.plan.targets = newTargets(s.Brokers)
	for _, t := range state.Plan.Targets {
		if _, err := o.plan.targets.parse(t.URL); err != nil {
			return err
		}
	}
	return goOn(ctx, s, o, state, store, run)
}

// goOn measures what is left of a run.
func goOn(ctx context.Context, s Streams, o runOptions, state *runState, store *results.Store, run results.Run) error {
	g := newGroup(s, o.agents)
	g.state = state
	if err := g.open(ctx, true); err != nil {
		g.remove = nil // the agents may have results
		g.close()
		return err // its state is still there
	}
	shown := newProgress(s, o.progress.mode, state.Plan.Cells(), o.format())
	stopServing, err := o.progress.serve(shown)
	if err != nil {
		g.close()
		return err
	}
	m := o.into(s, store, nil, shown)
	m.stopServing, m.Finish = stopServing, m.progress.finish
	g.attach(m)
	m.Agents = func(ctx context.Context, cell plan.Cell, id string, folder *results.CellFolder, with *measure.Attendant) ([]measure.Part, time.Time, error) {
		parts, start, ok, err := g.coordinator.Resume(ctx, cell, id, folder)
		if ok || err != nil {
			return parts, start, err
		}
		return g.measure(ctx, m, cell, id, folder, with)
	}
	described, cells, repeated, err := m.Resume(ctx, run, state.Plan)
	err = errors.Join(err, m.over(ctx))
	return m.end(described, report.Run(described, cells, repeated, o.details), err, judged(cells))
}

// readRunState reads what the coordinator of a run that died has left, and keeps others from
// doing so; it is an error if that coordinator lives.
func readRunState(s Streams, run results.Run) (*runState, error) {
	if !run.Finished.IsZero() {
		return nil, fmt.Errorf("run %s is over: there is nothing to go on with", run.ID)
	}
	dir, err := stateDir(s.Environ, run.ID)
	if err != nil {
		return nil, err
	}
	r := &runState{dir: dir}
	if err = r.hold(); err == nil {
		err = r.read()
	}
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("run %s: there is no %s: it was no run on agents, or on another machine, or is over", run.ID, dir)
	}
	if err != nil {
		r.release()
		return nil, err
	}
	return r, nil
}

// read reads the state.
func (r *runState) read() error {
	text, err := os.ReadFile(r.file())
	if err == nil {
		err = json.Unmarshal(text, r)
	}
	if err != nil {
		return fmt.Errorf("reading the state of run %s: %w", filepath.Base(r.dir), err)
	}
	return nil
}

// flags returns the flags with which the run was begun.
func (r *runState) flags() (agentsFlags, error) {
	f := agentsFlags{spec: r.Agents, n: r.N, context: r.Context, control: r.Control, onLoss: r.OnLoss, maxSkew: r.MaxSkew, lease: r.Lease, wait: r.Wait}
	where, err := f.parse()
	f.where = &where
	return f, err
}
