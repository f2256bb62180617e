package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/machine/doctor"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/report"
	"github.com/brokerbench/brokerbench/report/document"
)

const doctorLong = `Doctor looks at this machine before something is measured on it: clock source and
its resolution, how late each timer wakes up, hiccups, how busy the machine is,
steal, cores, governor and turbo, CPU quota and throttling; open files, ports and
memory against the connections of the plan. It takes about three seconds and
changes nothing.

With -o json it prints a list of findings: name, state (good, bad, unknown, or note
for what is neither), value, and for what is bad a remedy.

Exit codes: 0, also if something is bad; 1 something is bad, with --strict; 2 usage;
130 interrupted.`

// doctorOptions are what `doctor` was told.
type doctorOptions struct {
	plan    planFlags
	targets []string
	format  document.Format
	strict  bool
}

func newDoctor(s Streams) *cobra.Command {
	var o doctorOptions
	c := &cobra.Command{
		Use:   "doctor [TARGET...]",
		Short: "Look at this machine: is it fit to measure on?",
		Long:  doctorLong,
		Example: `  brokerbench doctor
  brokerbench doctor -f deploy/plans/classic.yaml
  brokerbench doctor --connections 10000 --strict`,
		RunE: func(c *cobra.Command, targets []string) error {
			o.targets = targets
			return examine(c.Context(), s, o)
		},
	}
	o.plan.define(c.Flags())
	defineFormat(c.Flags(), &o.format)
	c.Flags().BoolVar(&o.strict, "strict", false, "exit code 1 if something is bad")
	return c
}

func examine(ctx context.Context, s Streams, o doctorOptions) error {
	p, _, err := o.plan.plan(s, o.targets)
	if err != nil {
		return err
	}
	findings := doctor.Examine(ctx, needs(p))
	if err := s.show(report.Doctor(findings), o.format); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return failure{code: exitInterrupted}
	}
	for _, f := range findings {
		if o.strict && f.State == doctor.Bad {
			return failure{exitError, errors.New("something is bad: see above")}
		}
	}
	return nil
}

// needs returns what the most demanding cell asks for: cells run one by one.
func needs(p plan.Plan) (n doctor.Needs) {
	n.Senders = p.Settings.Senders
	for _, s := range p.Shapes {
		n.Connections, n.Size = max(n.Connections, s.Connections), max(n.Size, s.Size)
	}
	n.Sockets = sockets(p.Targets)
	return n
}

// sockets returns how many sockets one connection takes. Kafka's client opens one
// to produce, one to consume and one for the rest, and the last to the controller,
// too, if that is another broker.
func sockets(targets []plan.Target) int {
	for _, target := range targets {
		if b, err := brokers.ForURL(target.URL); err == nil && b.Name == "kafka" {
			return 4
		}
	}
	return 0 // the default
}
