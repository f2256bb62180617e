package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/child"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/report"
	"github.com/brokerbench/brokerbench/results"
)

const runLong = `Run measures every cell of the matrix (rate × size × connections × in-flight ×
arrivals) on every target. Without a target and a plan it starts a NATS server of
its own in a child process and measures 1 KiB at 1,000/s for 10 s.

A target is a URL: nats://h:4222, redis://h:6379/0, amqp://user:pw@h:5672/vhost,
kafka://h1:9092,h2:9092; options go into its query (see brokerbench brokers).

Every flag that says what is measured can also be set in the environment, as
BROKERBENCH_RATE and so on. Flag before environment before file before default.

Exit codes: 0 good; 1 error, other targets were still measured; 2 a mistake in the
command line, environment or plan; 3 an SLO was missed; 4 measured but invalid,
or an SLO could not be judged; 130 interrupted, what was measured is kept and
marked.`

// runOptions are what `run` was told.
type runOptions struct {
	plan     planFlags
	targets  []string
	format   string
	dryRun   bool
	progress progressFlags
	report   string
	command  []string
}

func newRun(s Streams, args []string) *cobra.Command {
	o := runOptions{command: append([]string{"brokerbench"}, args...)}
	c := &cobra.Command{
		Use:   "run [TARGET...]",
		Short: "Measure every cell of the matrix on every target",
		Long:  runLong,
		Example: `  brokerbench run
  brokerbench run nats://127.0.0.1:4222 --rate 3000,20000 --size 256B,1KiB --connections 1,25
  brokerbench run -f deploy/plans/classic.yaml -o json > result.json`,
		RunE: func(c *cobra.Command, targets []string) error {
			o.targets = targets
			return run(c.Context(), s, o)
		},
	}
	o.plan.define(c.Flags())
	defineFormat(c.Flags(), &o.format)
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "print what would be measured, and how long it takes")
	o.progress.define(c.Flags())
	c.Flags().StringVar(&o.report, "report", "on", "write report.html into the run's folder: on, off")
	return c
}

func run(ctx context.Context, s Streams, o runOptions) (err error) {
	if err := errors.Join(checkFormat("output", o.format, formats()), checkReport(o.report)); err != nil {
		return err
	}
	if err := o.progress.check(); err != nil {
		return err
	}
	p, own, err := o.plan.plan(s, o.targets)
	if err != nil {
		return err
	}
	if own && !o.dryRun {
		server, startErr := child.StartNATS()
		if startErr != nil {
			return startErr
		}
		defer func() { err = errors.Join(err, server.Stop()) }()
		p.Targets = []plan.Target{ownTarget(server.URL)}
		if _, err := o.plan.targets.parse(server.URL); err != nil {
			return err
		}
	}
	if o.dryRun {
		return printPlan(s.Out, o.format, p, own)
	}
	return measurePlan(ctx, s, o, p)
}

// measurePlan measures, prints, and says by its error how it went.
func measurePlan(ctx context.Context, s Streams, o runOptions, p plan.Plan) (err error) {
	talk := newProgress(s, o.progress.mode, p.Cells())
	stopServing, err := o.progress.serve(talk)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopServing()) }()
	store, err := results.Create(o.plan.out, p.Name, time.Now())
	if err != nil {
		return err
	}
	floors := floors{talk: talk}
	runner := measure.Runner{
		Open: o.plan.targets.open, Store: store, Command: redactAll(o.command), Shared: o.plan.targets.shared, Redact: brokers.Redact,
		Progress: talk.report, ProgressEvery: talk.every, Begin: talk.begin, Finish: talk.finish, Floor: floors.measure, Observer: newObserver,
	}
	described, cells, repeated, err := runner.Run(ctx, p)
	talk.view.Clear()
	err = errors.Join(err, floors.stop())
	if printErr := write(s.Out, o.format, store, described, cells, repeated); printErr != nil {
		err = errors.Join(err, fmt.Errorf("printing the results: %w", printErr))
	}
	if o.report == "on" && described.ID != "" {
		err = errors.Join(err, writeReport(filepath.Join(store.Dir(), reportFile), store))
	}
	return outcome(described, cells, err)
}

// write writes the results in the format that was asked for.
func write(w io.Writer, format string, store *results.Store, run results.Run, cells []*results.Cell, repeated []*results.Summary) error {
	switch format {
	case "json":
		return report.JSON(w, run, cells, repeated)
	case "csv":
		return report.CSV(w, cells)
	case "md":
		return report.Markdown(w, run, cells, repeated)
	}
	if err := report.Table(w, run, cells, repeated); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "files:", store.Dir())
	return err
}

// outcome turns what happened into the error with the right exit code.
func outcome(run results.Run, cells []*results.Cell, err error) error {
	switch {
	case run.Interrupted:
		return failure{exitInterrupted, err}
	case err != nil:
		return failure{exitError, err}
	}
	code := exitGood
	for _, c := range cells {
		code = worse(code, judged(c))
	}
	if code == exitGood {
		return nil
	}
	return failure{code: code}
}

// judged returns the exit code that a cell leads to. An objective that could not
// be judged was not passed.
func judged(c *results.Cell) int {
	code := exitGood
	if c.Verdict == results.Invalid {
		code = exitInvalid
	}
	for _, s := range c.SLOs {
		switch s.Outcome {
		case results.Passed:
		case results.Missed:
			code = worse(code, exitMissed)
		case results.Inconclusive:
			code = worse(code, exitInvalid)
		}
	}
	return code
}

// worse returns the code that tells more: an objective that was missed is an
// answer, an invalid cell is none.
func worse(a, b int) int {
	for _, code := range []int{exitMissed, exitInvalid} {
		if a == code || b == code {
			return code
		}
	}
	return exitGood
}

// ownTarget is the target that `run` starts when it is given none.
func ownTarget(url string) plan.Target { return plan.Target{Name: "nats", URL: url} }

func redactAll(words []string) []string {
	redacted := make([]string, len(words))
	for i, word := range words {
		redacted[i] = brokers.Redact(word)
	}
	return redacted
}
