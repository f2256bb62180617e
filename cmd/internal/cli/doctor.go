package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/machine/doctor"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/report"
)

const doctorLong = `Doctor examines this machine before you measure on it: clock source and resolution,
how late each timer wakes up, hiccups, how busy the machine is, steal, cores,
governor and turbo, CPU quota and throttling. It checks that open files, ports and
memory suffice for the connections of the plan. It takes about three seconds and
changes nothing.

With --format json it prints a list of findings: name, state (good, bad, unknown, or
note if it is neither good nor bad), value, and a remedy if it is bad.

Exit codes: 0, also if something is bad; 1 something is bad, with --strict; 2 a
mistake in the command line; 130 interrupted.`

// doctorOptions are the flags and arguments of `doctor`.
type doctorOptions struct {
	plan    planFlags
	targets []string
	strict  bool
	printing
}

func newDoctor(s Streams) *cobra.Command {
	var o doctorOptions
	c := &cobra.Command{
		Use:   "doctor [PLAN] [TARGET...]",
		Short: "Check whether this machine is fit to measure on",
		Long:  doctorLong,
		Example: `  brokerbench doctor
  brokerbench doctor deploy/plans/classic.yaml
  brokerbench doctor --connections 10000 --strict`,
		ValidArgsFunction: s.completeTargets,
		RunE: func(c *cobra.Command, args []string) (err error) {
			if o.targets, err = o.plan.take(s, args); err != nil {
				return err
			}
			return examine(c.Context(), s, o)
		},
	}
	o.plan.define(c.Flags(), "out")
	o.define(c.Flags())
	c.Flags().BoolVar(&o.strict, "strict", false, "exit code 1 if something is bad")
	return c
}

func examine(ctx context.Context, s Streams, o doctorOptions) error {
	p, _, err := o.plan.plan(s, o.targets)
	if err == nil {
		err = o.check(o.plan.file)
	}
	if err != nil {
		return err
	}
	findings := doctor.Examine(ctx, needs(p, o.plan.targets))
	if err := o.show(s, report.Doctor(findings)); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return failure{code: exitInterrupted}
	}
	for _, f := range findings {
		if o.strict && f.State == doctor.Bad {
			return failure{exitError, errors.New("something is bad (see above)")}
		}
	}
	return nil
}

// needs returns what the most demanding cell needs: cells run one after the other.
func needs(p plan.Plan, parsed targets) (n doctor.Needs) {
	n.Senders = p.Settings.Senders
	for _, s := range p.Shapes {
		n.Connections, n.Size = max(n.Connections, s.Connections), max(n.Size, s.Size)
	}
	n.Sockets = parsed.sockets(p.Targets)
	return n
}
