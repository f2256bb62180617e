package cli

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/requester/plan"
	"github.com/brokerbench/brokerbench/results/report"
)

func newPlan(s Streams) *cobra.Command {
	var flags planFlags
	c := &cobra.Command{
		Use:   "plan [TARGET...]",
		Short: "Print what would be measured, and how long it takes",
		Example: `  brokerbench plan -f deploy/plans/classic.yaml
  brokerbench plan nats://127.0.0.1:4222 --rate 3000,20000`,
		RunE: func(_ *cobra.Command, targets []string) error {
			p, own, err := flags.plan(s, targets)
			if err != nil {
				return err
			}
			return printPlan(s.Out, p, own)
		},
	}
	flags.define(c.Flags())
	return c
}

// printPlan lists the cells of a plan in the order of measuring. own says that the
// target is the NATS server that `run` starts itself.
func printPlan(w io.Writer, p plan.Plan, own bool) error {
	if own {
		p.Targets = []plan.Target{ownTarget("a NATS server of brokerbench's own")}
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "target\trate/s\tsize\tconnections\tin flight\tarrivals\trepeat\turl")
	for _, c := range p.Cells() {
		fmt.Fprintf(t, "%s\t%d\t%s\t%d\t%s\t%s\t%d\t%s\n", c.Target.Name, c.Shape.Rate, report.Size(c.Shape.Size),
			c.Shape.Connections, report.InFlight(c.Shape.InFlight), c.Shape.Arrivals, c.Repeat, brokers.Redact(c.Target.URL))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s of %v + %v warm-up: %v, and up to %v longer for each whose replies are late\n",
		report.Plural(len(p.Cells()), "cell"), p.Settings.Duration, p.Settings.Warmup, p.Took(), p.Settings.Timeout)
	return err
}
