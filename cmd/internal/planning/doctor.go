package planning

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/machine/doctor"
	"github.com/brokerbench/brokerbench/internal/report/host"
	"github.com/brokerbench/brokerbench/internal/run/testbed"
	"github.com/brokerbench/brokerbench/plan"
)

const doctorLong = `Doctor examines this machine before you measure on it: clock source and resolution,
how late each timer wakes up, hiccups, how busy the machine is, steal, cores,
governor and turbo, CPU quota and throttling. It checks that open files, ports and
memory suffice for the connections of the plan, and measures the disk below the data
folders of its nodes. Then it lists which questions of a study this machine can
answer. It takes about five seconds and leaves nothing behind.

With --format json it prints findings (name, state: good, bad, unknown, or note if it
is neither good nor bad, value, and a remedy if it is bad) and questions (question,
answer: yes, ratios only or no, why, and the checks that decide).

Exit codes: 0, also if something is bad; 1 something is bad, with --strict; 2 a
mistake in the command line; 130 interrupted.`

// doctorOptions are the flags and arguments of `doctor`.
type doctorOptions struct {
	plan    PlanFlags
	targets []string
	strict  bool
	command.Printing
}

// NewDoctor returns the command `doctor`.
func NewDoctor(s command.Streams) *cobra.Command {
	var o doctorOptions
	c := &cobra.Command{
		Use:   "doctor [PLAN] [TARGET...]",
		Short: "Check whether this machine is fit to measure on",
		Long:  doctorLong,
		Example: `  brokerbench doctor
  brokerbench doctor deploy/plans/classic.yaml
  brokerbench doctor --connections 10000 --strict`,
		ValidArgsFunction: CompleteTargets(s),
		RunE: func(c *cobra.Command, args []string) (err error) {
			if o.targets, err = o.plan.Take(s, args); err != nil {
				return err
			}
			return examine(c.Context(), s, o)
		},
	}
	o.plan.Define(c.Flags(), "out")
	o.Define(c.Flags())
	c.Flags().BoolVar(&o.strict, "strict", false, "exit code 1 if something is bad")
	return c
}

func examine(ctx context.Context, s command.Streams, o doctorOptions) error {
	p, _, err := o.plan.Plan(s, o.targets)
	if err == nil {
		err = o.Check(o.plan.File)
	}
	if err != nil {
		return err
	}
	e := doctor.Examine(ctx, Needs(p, o.plan.Targets))
	if err := o.Show(s, host.Doctor(e)); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return command.Fail(command.ExitInterrupted, nil)
	}
	for _, f := range e.Findings {
		if o.strict && f.State == doctor.Bad {
			return command.Fail(command.ExitError, errors.New("something is bad (see above)"))
		}
	}
	return nil
}

// Needs returns what the most demanding cell needs: cells run one after the other.
func Needs(p plan.Plan, parsed testbed.Targets) (n doctor.Needs) {
	n.Senders = p.Settings.Senders
	for _, s := range p.Shapes {
		n.Connections, n.Size = max(n.Connections, s.Connections), max(n.Size, s.Largest())
		if rate := float64(s.Rate); n.Rate == 0 || rate < n.Rate {
			n.Rate = rate
		}
	}
	n.Sockets, n.Data = parsed.Sockets(p.Targets), parsed.DataFolder(p.Targets)
	return n
}
