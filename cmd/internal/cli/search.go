package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/config"
	"github.com/brokerbench/brokerbench/requester/measure"
	"github.com/brokerbench/brokerbench/requester/plan"
	"github.com/brokerbench/brokerbench/requester/search"
	"github.com/brokerbench/brokerbench/results"
)

const searchLong = `Search finds the highest rate at which a target keeps each SLO: it doubles the rate
from --from until the SLO is not kept, halves the bracket until it is as narrow as
--precision, and confirms with longer runs that the rate is kept and that a step
above it is not; if they say otherwise it steps down or up, and says so. All SLOs
share the probes: with several, the table says which rate each latency allows.

An SLO that a probe does not keep is tried again at the same rate, and two of
three decide, so that one noisy probe changes nothing. Probes are longer than
--duration where a percentile needs more messages. A probe that the client does
not manage (a TCP echo in place of the broker is no better, brokerbench's cores
are used up, or half of the response is the generator's lag) is the client's
limit, not the target's, and the result is a lower bound.

Every probe is kept in the folder of results, like a cell of run.

Exit codes: 0 every rate was found, or --max keeps the SLO; 1 error; 2 a mistake in
the command line or environment; 3 an SLO is not kept even at --from; 4 the client
is the limit, or it is not known who is; 130 interrupted, what was measured is
kept.`

// searchOptions are what `search` was told.
type searchOptions struct {
	plan      planFlags
	targets   []string
	from, max string
	precision string
	confirm   time.Duration
	format    string
	quiet     bool
	command   []string
}

func newSearch(s Streams, args []string) *cobra.Command {
	o := searchOptions{command: append([]string{"brokerbench"}, args...)}
	c := &cobra.Command{
		Use:   "search TARGET... --slo SLO",
		Short: "Find the highest rate that keeps an SLO",
		Long:  searchLong,
		Example: `  brokerbench search nats://127.0.0.1:4222 --slo 'p99<1ms' --slo 'p99<10ms' --size 1KiB
  brokerbench search redis://127.0.0.1:6379 --slo 'p99.9<5ms,loss<0.001%' --connections 1,25 -o md`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, targets []string) error {
			o.targets = targets
			return runSearch(c.Context(), s, o)
		},
	}
	o.define(c)
	return c
}

func (o *searchOptions) define(c *cobra.Command) {
	f, p := c.Flags(), &o.plan.overrides
	f.StringSliceVar(&p.SLO, "slo", nil, "what is to be kept, such as p99.9<5ms, loss<0.001% or rate>99%; several give a row each")
	f.StringVar(&o.from, "from", "1000", "the lowest rate, with which the search begins")
	f.StringVar(&o.max, "max", "1M", "the highest rate that is tried")
	f.StringVar(&o.precision, "precision", "5%", "how far apart the rates may be that keep and do not keep the SLO")
	f.StringVar(&p.Duration, "duration", "", "length of a probe's window, at least (default 5s)")
	f.DurationVar(&o.confirm, "confirm", search.DefaultConfirm, "length of the windows that confirm the result")
	f.StringSliceVar(&p.Size, "size", nil, "sizes of a message; each is searched for itself (default 1KiB)")
	f.StringSliceVar(&p.Connections, "connections", nil, "numbers of connections; each is searched for itself (default 1)")
	f.StringSliceVar(&p.InFlight, "in-flight", nil, "limits of messages in flight on one connection, or open (default open)")
	f.StringSliceVar(&p.Arrivals, "arrivals", nil, "constant, poisson, burst:N (default constant)")
	f.StringVar(&p.Warmup, "warmup", "", "warm-up before each probe, kept apart (default 1s)")
	f.StringVar(&p.Timeout, "timeout", "", "how long to wait for replies after the last message of a probe was due (default 5s)")
	f.StringVar(&p.Seed, "seed", "", "seed of drawn arrivals and message contents (default 1)")
	f.StringVar(&p.Senders, "senders", "", "threads that send; connections are split among them (default 1)")
	f.StringVar(&p.Spin, "spin", "", "how long a sender spins before a message is due, or auto (default auto)")
	f.StringVar(&p.Floor, "floor", "", "measure before each probe what the tool and the kernel cost alone: on, off (default on)")
	f.StringVar(&p.Name, "name", "", "name of the run, in the name of its folder (default search)")
	f.StringVar(&p.Out, "out", "", "folder of results (default ./brokerbench-results)")
	f.StringVarP(&o.format, "output", "o", "table", "what to print: table, json, md")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "no progress on standard error")
}

// resolve returns what is searched for, and the plan whose cells are where each
// search begins.
func (o *searchOptions) resolve(s Streams) (cfg search.Config, p plan.Plan, err error) {
	if cfg, err = o.limits(); err != nil {
		return cfg, p, usage(err)
	}
	o.plan.overrides.Rate = []string{fmt.Sprint(cfg.From)}
	o.plan.defaults = config.Overrides{Duration: search.DefaultWindow.String(), Warmup: "1s", Timeout: "5s", Name: "search"}
	if p, _, err = o.plan.plan(s, o.targets); err != nil {
		return cfg, p, err
	}
	p.Repeat = 1
	cfg.Window = p.Settings.Duration
	for _, slo := range p.SLOs {
		cfg.Objectives = append(cfg.Objectives, slo.Objective)
	}
	return cfg, p, usage(errors.Join(cfg.Validate(), checkTimeout(p)))
}

// limits reads the flags that only a search has.
func (o *searchOptions) limits() (cfg search.Config, err error) {
	var errs [4]error
	cfg.Confirm = o.confirm
	cfg.From, errs[0] = parsed("--from", o.from, config.ParseRate)
	cfg.Max, errs[1] = parsed("--max", o.max, config.ParseRate)
	cfg.Precision, errs[2] = parsed("--precision", o.precision, parsePrecision)
	errs[3] = oneOf(o.format, "table", "json", "md")
	return cfg, errors.Join(errs[:]...)
}

// checkTimeout wants replies to be awaited for longer than an SLO allows them to
// take.
func checkTimeout(p plan.Plan) error {
	for _, slo := range p.SLOs {
		if o := slo.Objective; o.Metric == "" && o.Limit >= float64(p.Settings.Timeout) {
			return fmt.Errorf("--timeout %v is not above the limit of %v", p.Settings.Timeout, o)
		}
	}
	return nil
}

// runSearch searches, prints, and says by its error how it went.
func runSearch(ctx context.Context, s Streams, o searchOptions) error {
	cfg, p, err := o.resolve(s)
	if err != nil {
		return err
	}
	store, err := results.Create(cmp.Or(o.plan.overrides.Out, "brokerbench-results"), p.Name, time.Now())
	if err != nil {
		return err
	}
	talk := &searching{progress: progress{w: s.Err, terminal: s.Terminal, quiet: o.quiet}, objectives: cfg.Objectives}
	floors := floors{talk: &talk.progress, silent: true}
	runner := measure.Runner{
		Open: brokers.Open, Store: store, Command: redactAll(o.command), Shared: brokers.Local, Redact: brokers.Redact,
		Watch: talk.watch, Floor: floors.measure, Observer: newObserver,
	}
	session, err := runner.Start(p)
	if err != nil {
		return errors.Join(err, floors.stop())
	}
	found := searchAll(ctx, session, cfg, p, talk)
	run, _, err := session.End(ctx)
	err = errors.Join(err, floors.stop())
	if printErr := o.print(s, store, run, cfg, found); printErr != nil {
		err = errors.Join(err, fmt.Errorf("printing the results: %w", printErr))
	}
	return searchOutcome(run, found, err)
}

// searchAll searches on every target with every shape. A target that fails does
// not keep the others from being searched: End tells.
func searchAll(ctx context.Context, session *measure.Session, cfg search.Config, p plan.Plan, talk *searching) (found []search.Result) {
	for _, cell := range p.Cells() {
		if ctx.Err() != nil {
			break
		}
		prober := search.Prober{Session: session, Cell: cell, Began: talk.began, Ended: talk.ended}
		r, err := prober.Run(ctx, cfg)
		talk.failed(err)
		found = append(found, r)
	}
	return found
}

// searchOutcome turns what was found into the error with the right exit code.
func searchOutcome(run results.Run, found []search.Result, err error) error {
	switch {
	case run.Interrupted:
		return failure{exitInterrupted, err}
	case err != nil:
		return failure{exitError, err}
	}
	switch search.Worst(found) {
	case search.NotKept:
		return failure{code: exitMissed}
	case search.ByClient, search.NotKnown, search.Unfinished:
		return failure{code: exitInvalid}
	case search.Found, search.AtMax:
	}
	return nil
}
