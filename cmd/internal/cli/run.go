package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/cmd/internal/analysis"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/cmd/internal/planning"
	"github.com/brokerbench/brokerbench/internal/config"
	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/internal/run/child"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

const runLong = `Run measures every cell of the matrix (rate × size × connections × in-flight ×
arrivals) on every target. Without a target or a plan file it starts its own NATS
server in a child process and measures 1 KiB at 1,000/s for 10 s.

A target is a URL: nats://h:4222, redis://h:6379/0, amqp://user:pw@h:5672/vhost,
kafka://h1:9092,h2:9092, mqtt://h:1883. Its query holds options (see brokerbench
brokers). NAME=URL gives it a name: fast=nats://h:4222. The name
nats, redis, rabbitmq, kafka or mqtt alone means that broker on this machine, at its
usual port or at BROKERBENCH_NATS_URL and so on. For local:NAME, such as
local:kafka,nodes=3, brokerbench starts the broker with one or three nodes, and removes
it after the run.

Name a plan file as an argument or with -f. Targets on the command line replace the
targets of the plan.

Results go into a new folder below --out; -o writes the printed text into a file.

With --agents several machines measure, each a part of the connections, and their
results are added up: see docs/cluster.md.

Every flag that says what to measure can also be set in the environment, for
example as BROKERBENCH_RATE. A flag overrides the environment, the environment
overrides the plan file, and the file overrides the defaults.

Exit codes: 0 good; 1 an error, but the other targets were measured; 2 a mistake in
the command line, environment or plan; 3 an SLO was missed; 4 a cell is invalid, an
SLO could not be judged, a level of durability does not hold or is not verified, or
agents were lost; 130 interrupted; the measured part is kept and marked. After Ctrl-C the current cell is finished and kept;
a second Ctrl-C ends it within two seconds and keeps its measured part.`

// runOptions are the flags and arguments of `run`.
type runOptions struct {
	measureOptions
	details bool
	dryRun  bool
	faults  func() ([]plan.Fault, error) // of a command that has its own; nil: those of the plan
}

func newRun(s command.Streams, args []string) *cobra.Command {
	o := runOptions{measureOptions: measureOptions{args: args}}
	c := &cobra.Command{
		Use:   "run [PLAN] [TARGET...]",
		Short: "Measure every cell of the matrix on every target",
		Long:  runLong,
		Example: `  brokerbench run
  brokerbench run nats://127.0.0.1:4222 --rate 3000,20000 --size 256B,1KiB --connections 1,25
  brokerbench run deploy/plans/classic.yaml -o result.json
  brokerbench run nats://127.0.0.1:4222 --echo process
  brokerbench run nats://broker:4222 --connections 30 --agents ssh://vm1,ssh://vm2,ssh://vm3`,
		ValidArgsFunction: planning.CompleteTargets(s),
		RunE: func(c *cobra.Command, args []string) (err error) {
			if o.targets, err = o.plan.Take(s, args); err != nil {
				return err
			}
			return runPlan(c.Context(), s, o)
		},
	}
	o.plan.Define(c.Flags())
	o.define(c.Flags())
	return c
}

// rerun returns a function that runs `run` or `search` for another command, whose command line is line. It
// prints errors, but those that end that command.
func rerun(line []string) analysis.Runner {
	return func(ctx context.Context, s command.Streams, name string, args []string) error {
		f := pflag.NewFlagSet(name, pflag.ContinueOnError)
		var start func() error
		switch name {
		case "search":
			o := searchOptions{measureOptions: measureOptions{args: line}}
			o.define(f)
			start = func() error { return runSearch(ctx, s, o) }
		default:
			o := runOptions{measureOptions: measureOptions{args: line}}
			o.plan.Define(f)
			o.define(f)
			start = func() error { return runPlan(ctx, s, o) }
		}
		if err := f.Parse(args); err != nil {
			return command.Usage(err)
		}
		err := start()
		if code := command.ExitCode(err); code != command.ExitInterrupted && code != command.ExitUsage {
			printError(s.Err, err)
		}
		return err
	}
}

// define defines the flags but those of the plan.
func (o *runOptions) define(f *pflag.FlagSet) {
	o.measureOptions.define(f)
	command.DefineDetails(f, &o.details)
	command.DefineDryRun(f, &o.dryRun)
	f.BoolVar(&o.allowFaults, "allow-faults", false, "let the faults of the plan break nodes that brokerbench did not start, and run commands")
}

func runPlan(ctx context.Context, s command.Streams, o runOptions) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	p, own, err := o.plan.Plan(s, o.targets)
	if err != nil {
		return err
	}
	if p.Settings.Faults, err = o.breaks(p, own); err != nil {
		return err
	}
	store, storeErr := planning.StoreFor(o.plan.Durability)
	if own && storeErr != nil {
		return command.Usage(storeErr)
	}
	if own && !o.dryRun {
		if _, err := s.Brokers.ByName("nats"); err != nil {
			return command.Usage(errors.New("run needs a target: this program does not know nats, so it cannot start a NATS server"))
		}
		server, startErr := child.StartNATS(store)
		if startErr != nil {
			return startErr
		}
		defer func() { err = errors.Join(err, server.Stop()) }()
		p.Targets = []plan.Target{planning.OwnTarget(config.WithDurability(server.URL, o.plan.Durability))}
		if _, err := o.plan.Targets.Parse(p.Targets[0].URL); err != nil {
			return err
		}
		if err := o.plan.Targets.Check(p); err != nil {
			return command.Usage(err)
		}
	}
	if err := o.place(p); err != nil {
		return err
	}
	if o.dryRun {
		return o.Show(s, planning.Planned(p, own, store))
	}
	return measurePlan(ctx, s, o, p)
}

// breaks returns the faults of a plan, or the command's own, which can happen as far as that
// is known before the run.
func (o runOptions) breaks(p plan.Plan, own bool) (faults []plan.Fault, err error) {
	faults = p.Settings.Faults
	if o.faults != nil {
		if faults, err = o.faults(); err != nil {
			return nil, command.Usage(err)
		}
	}
	p.Settings.Faults = faults
	switch {
	case len(faults) == 0:
		return nil, nil
	case own:
		return nil, command.Usage(errors.New("faults need a target: name one, or let brokerbench start it, as local:nats"))
	}
	if err := p.Settings.Validate(); err != nil {
		return nil, command.Usage(err)
	}
	return faults, command.Usage(o.plan.Targets.CheckFaults(p, o.allowFaults))
}

// measurePlan measures and prints. Its error carries the exit code.
func measurePlan(ctx context.Context, s command.Streams, o runOptions, p plan.Plan) error {
	m, err := o.start(ctx, s, p, newProgress(s, o.progress.mode, p.Cells(), o.Format()))
	if err != nil {
		return err
	}
	m.Finish = m.progress.finish
	described, cells, repeated, err := m.Run(ctx, p)
	return m.end(ctx, described, report.Run(described, cells, repeated, o.details), err, o.backed(judged(cells, repeated), cells...))
}

// judged returns the exit code of cells that were measured. An objective that could
// not be judged did not pass. A missed one is an answer, an invalid cell is none.
func judged(cells []*results.Cell, repeated []*results.Summary) int {
	code := command.ExitGood
	var slos []results.SLO
	for _, c := range cells {
		if c.Verdict == results.Invalid {
			code = command.ExitInvalid
		}
	}
	for _, s := range repeated {
		slos = append(slos, s.SLOs...)
	}
	for _, c := range alone(cells, repeated) {
		slos = append(slos, c.SLOs...)
	}
	for _, s := range slos {
		switch s.Outcome {
		case results.Passed:
		case results.Missed:
			return command.ExitMissed
		case results.Inconclusive:
			code = command.ExitInvalid
		}
	}
	return code
}

// alone returns the cells whose objectives no summary judges.
func alone(cells []*results.Cell, summaries []*results.Summary) []*results.Cell {
	return slices.DeleteFunc(slices.Clone(cells), func(c *results.Cell) bool {
		return slices.ContainsFunc(summaries, func(s *results.Summary) bool { return len(s.SLOs) > 0 && slices.Contains(s.Cells, c.BySize()[0].ID) })
	})
}
