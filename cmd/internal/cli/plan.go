package cli

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/report/document"
)

func newPlan(s Streams) *cobra.Command {
	var flags planFlags
	var format string
	c := &cobra.Command{
		Use:   "plan [TARGET...]",
		Short: "Print what would be measured, and how long it takes",
		Example: `  brokerbench plan -f deploy/plans/classic.yaml
  brokerbench plan nats://127.0.0.1:4222 --rate 3000,20000`,
		RunE: func(_ *cobra.Command, targets []string) error {
			if err := checkFormat("output", format, formats()); err != nil {
				return err
			}
			p, own, err := flags.plan(s, targets)
			if err != nil {
				return err
			}
			return printPlan(s.Out, format, p, own)
		},
	}
	flags.define(c.Flags(), "out")
	defineFormat(c.Flags(), &format)
	return c
}

// printPlan lists the cells of a plan in the order of measuring. own says that the
// target is the NATS server that `run` starts itself.
func printPlan(w io.Writer, format string, p plan.Plan, own bool) error {
	if own {
		p.Targets = []plan.Target{ownTarget("a NATS server of brokerbench's own")}
	}
	table := document.Table{Head: []string{"target", "rate/s", "size", "connections", "in flight", "arrivals", "repeat", "url"}}
	for _, c := range p.Cells() {
		table.Rows = append(table.Rows, []string{
			c.Target.Name, fmt.Sprint(c.Shape.Rate), words.Size(c.Shape.Size), fmt.Sprint(c.Shape.Connections),
			words.InFlight(c.Shape.InFlight), string(c.Shape.Arrivals), fmt.Sprint(c.Repeat), brokers.Redact(c.Target.URL),
		})
	}
	if err := printSheet(w, format, table, describePlan(p)); err != nil || format == "json" || format == "csv" {
		return err
	}
	if format == "md" {
		fmt.Fprintln(w)
	}
	_, err := fmt.Fprintf(w, "%s of %v + %v warm-up: %v, and up to %v longer for each whose replies are late\n",
		words.Plural(len(p.Cells()), "cell"), p.Settings.Duration, p.Settings.Warmup, p.Took(), p.Settings.Timeout)
	return err
}

// planned is a plan as JSON, without passwords.
type planned struct {
	Plan   plan.Plan     `json:"plan"`
	Cells  []string      `json:"cells"` // in the order of measuring
	TookNS time.Duration `json:"took_ns"`
}

func describePlan(p plan.Plan) planned {
	p.Targets = slices.Clone(p.Targets)
	for i := range p.Targets {
		p.Targets[i].URL = brokers.Redact(p.Targets[i].URL)
	}
	d := planned{Plan: p, TookNS: p.Took()}
	for _, c := range p.Cells() {
		d.Cells = append(d.Cells, c.ID())
	}
	return d
}
