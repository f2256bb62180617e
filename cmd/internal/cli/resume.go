package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/agents/group"
	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/internal/run/testbed"
	"github.com/brokerbench/brokerbench/results"
)

const resumeLong = `Resume continues a run on agents whose coordinator died. Call it on the same machine and as the
same user as that coordinator. It keeps the cells that were measured, and measures the
interrupted cell and the remaining ones. Agents that were started with brokerbench agent
--join FILE take part again if they are still waiting; the others are started again. If the
agents had measured all of the interrupted cell, their results are collected.`

func newResume(s command.Streams, args []string) *cobra.Command {
	o := runOptions{measureOptions: measureOptions{args: args}}
	c := &cobra.Command{
		Use:   "resume RUN",
		Short: "Continue a run on agents whose coordinator died",
		Long:  resumeLong,
		Example: `  brokerbench resume results/20261122-101500-run
  brokerbench resume results/latest`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return resume(c.Context(), s, o, args[0]) },
	}
	o.defineShown(c.Flags())
	command.DefineDetails(c.Flags(), &o.details)
	return c
}

func resume(ctx context.Context, s command.Streams, o runOptions, dir string) error {
	if err := o.check(); err != nil {
		return err
	}
	store, err := results.Open(dir)
	if err != nil {
		return command.Usage(err)
	}
	run, err := store.Run()
	if err != nil {
		return err
	}
	process, shows := env(s)
	state, err := group.Read(process.Variable, run)
	if err != nil {
		return command.Usage(err)
	}
	defer state.Close()
	if state.Once != "" {
		return command.Usage(errors.Join(fmt.Errorf("run %s cannot be resumed: %s: measure it again", run.ID, state.Once), state.Remove()))
	}
	o.plan.Targets = testbed.NewTargets(s.Brokers)
	for _, t := range state.Plan.Targets {
		if _, err := o.plan.Targets.Parse(t.URL); err != nil {
			return err
		}
	}
	resumed, err := group.Resume(ctx, process, state)
	if err != nil {
		return err // the state is still there
	}
	m := o.measuring(s, state.Plan, newProgress(s, o.progress.mode, state.Plan.Cells(), o.Format()))
	m.Store, m.agents, m.Finish = store, &onAgents{resumed, shows}, m.progress.finish
	if err := m.agents.begin(m); err != nil {
		return errors.Join(err, m.stop())
	}
	if m.stopServing, err = o.progress.serve(m.progress); err != nil {
		return errors.Join(err, m.stop())
	}
	described, cells, repeated, err := m.Resume(ctx, run, state.Plan)
	return m.end(ctx, described, report.Run(described, cells, repeated, o.details), err, o.backed(judged(cells, repeated), cells...))
}
