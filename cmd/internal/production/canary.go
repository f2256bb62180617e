// Package production has the command that measures a broker in production.
package production

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/cmd/internal/metrics"
	"github.com/brokerbench/brokerbench/cmd/internal/planning"
	"github.com/brokerbench/brokerbench/internal/canary"
	"github.com/brokerbench/brokerbench/internal/config"
	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/internal/run/testbed"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
)

const canaryLong = `Canary measures a broker in production for weeks: a few messages a second, due on schedule,
with the engine of run. Its folder has a log of each hour, day and month (.hlog, for the
tools of HdrHistogram) and a ledger beside it, in bounded space. brokerbench report FOLDER
shows this month and the last; see docs/canary.md.

The topics of a canary are new each hour, and removed after it. Options
bound the store of the target: canary adds them to the URL (max-age=10m for a NATS stream,
and so on), and refuses a target whose options exclude them.

While the broker is away, messages that are due are unsent, and attempts to connect come
1 s apart at first, later 15 s. A canary that is started again on its folder goes on: the
time in between is a gap, and its messages are not measured. A new folder needs a broker
that answers; an old one does not.

Everything is on the disk after 10 s. Ctrl-C ends the turn under way and writes all of it,
within seven seconds; a second Ctrl-C ends it within two.

Exit codes: 0 it was stopped; 1 the broker of a new folder does not answer, or a file
cannot be written or read; 2 a mistake in the command line, the environment or the folder.`

// canaryOptions are the flags and arguments of `canary`.
type canaryOptions struct {
	plan   planning.PlanFlags
	target string
	out    string
	listen string
}

// canaryKeys are the keys that a canary has.
var canaryKeys = map[string]bool{"rate": true, "size": true, "connections": true, "in-flight": true, "timeout": true}

// NewCanary returns the command `canary`.
func NewCanary(s command.Streams) *cobra.Command {
	o := canaryOptions{plan: planning.PlanFlags{Defaults: config.Values{
		"rate": {"10"}, "timeout": {"10s"}, "duration": {"1h"}, "warmup": {"0s"},
	}}}
	c := &cobra.Command{
		Use:   "canary TARGET --out FOLDER",
		Short: "Measure a broker in production for weeks",
		Long:  canaryLong,
		Example: `  brokerbench canary nats://broker:4222 --rate 10/s --out canary/
  brokerbench canary 'nats://broker:4222?stream=file' --out canary/ --listen 127.0.0.1:9465
  brokerbench report canary/`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: planning.CompleteTargets(s),
		RunE: func(c *cobra.Command, args []string) error {
			o.target = args[0]
			return runCanary(c.Context(), s, o)
		},
	}
	var but []string
	for _, k := range config.Keys() {
		if !canaryKeys[k.Name] {
			but = append(but, k.Name)
		}
	}
	o.plan.DefineKeys(c.Flags(), but...)
	c.Flags().StringVar(&o.out, "out", "", "folder of the measurements, new or this canary's")
	c.Flags().StringVar(&o.listen, "listen", "", "serve /metrics for Prometheus, such as 127.0.0.1:9465")
	return c
}

func runCanary(ctx context.Context, s command.Streams, o canaryOptions) error {
	target, cell, err := o.resolve(s)
	if err != nil {
		return command.Usage(err)
	}
	folder, err := canary.Open(o.out, canary.Identity{
		Schema: canary.Schema, Target: target.String(), Created: time.Now().UTC(),
		Shape: fmt.Sprintf("%s × %s × %s, %s in flight", cell.Shape.Rate, words.Size(cell.Shape.Size), words.Plural(cell.Shape.Connections, "connection"), words.InFlight(cell.Shape.InFlight)),
	})
	switch {
	case safefile.Full(err): // a service is started again
		return fmt.Errorf("--out: %w", err)
	case err != nil:
		return command.Usage(fmt.Errorf("--out: %w", err))
	}
	defer folder.Close()
	options := o.options(s, target, cell)
	stop, err := o.serve(s, target, &options)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Err, "canary of %s, %s, into %s\n", folder.Target, folder.Shape, o.out)
	err = canary.Run(ctx, folder, options)
	return errors.Join(err, stop())
}

// resolve returns the target, with options that bound it, and the cell that is measured again and again.
func (o *canaryOptions) resolve(s command.Streams) (t brokers.Target, cell plan.Cell, err error) {
	if o.out == "" {
		return t, cell, errors.New("canary needs --out FOLDER, where its measurements stay")
	}
	if testbed.IsLocal(o.target) {
		return t, cell, fmt.Errorf("target %s: a canary measures a broker that runs: want its URL", o.target)
	}
	if o.listen != "" {
		if err := metrics.CheckAddress(o.listen); err != nil {
			return t, cell, fmt.Errorf("--listen: %w", err)
		}
	}
	p, _, err := o.plan.Plan(s, []string{o.target})
	if err != nil {
		return t, cell, err
	}
	cells := p.Cells()
	cell = cells[0]
	shape := cell.Shape
	switch {
	case len(cells) > 1:
		err = fmt.Errorf("a canary measures one shape, not %d: want one value of each flag", len(cells))
	case shape.Changes != "" || shape.Sizes != "" || !shape.Arrivals.Even():
		err = fmt.Errorf("%s: a canary has one rate, one size, and constant arrivals", shape)
	case !shape.Topology.Own() || shape.Backlog != (plan.Backlog{}):
		err = fmt.Errorf("%s: a canary has no groups of consumers and no backlog", shape)
	default:
		t, err = o.plan.Targets.Parsed[p.Targets[0].URL].Bounded()
	}
	return t, cell, err
}

func (o *canaryOptions) options(s command.Streams, target brokers.Target, cell plan.Cell) canary.Options {
	options := canary.Options{
		Config: record.Config(cell, schedule.Part{}), Open: target.Open, GiveUp: s.GiveUp, Redact: brokers.Redact,
		Clean: func(ctx context.Context, run string) (bool, error) {
			found, _, err := target.Clean(ctx, brokers.Cleaning{Run: run})
			for _, l := range found {
				if l.Outcome != brokers.Removed {
					return false, err
				}
			}
			return err == nil, err
		},
	}
	options.Config.NewWaiter = load.KernelWaiter(0)
	options.Say = func(text string) { fmt.Fprintf(s.Err, "%s %s\n", time.Now().UTC().Format(time.RFC3339), text) }
	return options
}

// serve serves the metrics until stop, if a flag asks for it.
func (o *canaryOptions) serve(s command.Streams, target brokers.Target, options *canary.Options) (stop func() error, err error) {
	if o.listen == "" {
		return func() error { return nil }, nil
	}
	server, err := metrics.Listen(o.listen)
	if err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	collector := metrics.NewCanary(target.String())
	server.Instead(collector)
	options.Show = collector.Show
	fmt.Fprintf(s.Err, "metrics: http://%s/metrics\n", server.Address())
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx) }()
	return func() error { cancel(); return <-ended }, nil
}
