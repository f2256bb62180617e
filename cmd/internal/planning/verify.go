package planning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/internal/run"
	"github.com/brokerbench/brokerbench/internal/run/child"
	"github.com/brokerbench/brokerbench/internal/run/testbed"
	"github.com/brokerbench/brokerbench/internal/verify"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

const verifyLong = `Verify measures systems whose behaviour is known exactly, in real time and through
real sockets: a constant service time, a stall, a stall that begins just before the
end, a slow phase, and replies that never come, each in open loop and with one
message in flight; four connections; and a connection that holds up the sender.

Each system notes when a message came and when its reply left, and so does a witness
in front of the client's engine. The report must agree with these notes, message by
message. A busy machine is no excuse and no cause: its delays are in both. The output
also shows the arithmetic of a machine without noise, and the numbers of a closed-loop
tool.

With --target and --pid it does the same with a live broker: it pauses that process
(SIGSTOP) in the middle and continues it (SIGCONT). It continues the process in any
case, even if verify is interrupted or killed. The end of the output names anything that
it could not remove from the broker, with the command that does it.

Exit codes: 0 every row agrees; 1 a row disagrees (the output says where), or an
error; 2 a mistake in the command line; 6 inconclusive: the system itself was stopped
by the machine, so try again; 130 interrupted.`

// verifyOptions are the flags and arguments of `verify`.
type verifyOptions struct {
	target   string
	pid      int
	pause    time.Duration
	duration time.Duration
	rate     int
	command.Printing
}

// NewVerify returns the command `verify`.
func NewVerify(s command.Streams) *cobra.Command {
	var o verifyOptions
	c := &cobra.Command{
		Use:   "verify",
		Short: "Check the measurement against systems of known behaviour, or a live broker",
		Long:  verifyLong,
		Example: `  brokerbench verify
  brokerbench verify --target nats://127.0.0.1:4222 --pid 4711 --pause-for 2s`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runVerify(c.Context(), s, o.withDefaults()) },
	}
	c.Flags().StringVar(&o.target, "target", "", "what to measure: the `URL` of a live broker, which is paused")
	c.Flags().IntVar(&o.pid, "pid", 0, "pid of that broker's process")
	c.Flags().DurationVar(&o.pause, "pause-for", 2*time.Second, "how long to pause the process")
	c.Flags().DurationVarP(&o.duration, "duration", "d", 0, "how long each cell is measured, after the warm-up (default 5s; 15s with a live broker)")
	c.Flags().IntVarP(&o.rate, "rate", "r", 0, "messages per second in open loop (default 1000; 500 with a live broker)")
	o.Define(c.Flags())
	return c
}

func runVerify(ctx context.Context, s command.Streams, o verifyOptions) error {
	if err := errors.Join(command.Usage(o.checkFlags()), o.Check()); err != nil {
		return err
	}
	checks, err := o.measure(ctx, s)
	if len(checks) > 0 {
		err = errors.Join(err, o.Show(s, report.Verify(checks)))
	}
	switch {
	case ctx.Err() != nil:
		return command.Fail(command.ExitInterrupted, nil)
	case err != nil:
		return err
	}
	return Answered(verify.Sum(checks))
}

// Answered returns the exit code of an answer.
func Answered(a verify.Answer) error {
	switch a {
	case verify.Disagrees:
		return command.Fail(command.ExitError, nil)
	case verify.Inconclusive:
		return command.Fail(command.ExitInconclusive, nil)
	case verify.Agrees:
	}
	return nil
}

// withDefaults sets what is not given: a live broker takes other values.
func (o verifyOptions) withDefaults() verifyOptions {
	if o.live() {
		o.rate, o.duration = cmp.Or(o.rate, 500), cmp.Or(o.duration, max(15*time.Second, 3*o.pause))
	}
	o.rate, o.duration = cmp.Or(o.rate, 1000), cmp.Or(o.duration, 5*time.Second)
	return o
}

func (o verifyOptions) live() bool { return o.target != "" || o.pid != 0 }

func (o verifyOptions) checkFlags() error {
	switch {
	case o.live() && (o.target == "" || o.pid == 0):
		return errors.New("--target and --pid: want both, the URL of the broker and its pid, or neither")
	case o.rate < 0 || o.duration < 0 || o.pause <= 0:
		return errors.New("--rate, --duration and --pause-for: want positive values")
	case !o.live() && o.duration < time.Second:
		return fmt.Errorf("--duration %v: want at least 1s, as a stall takes a fifth of it", o.duration)
	case o.live() && o.duration < 3*o.pause:
		return fmt.Errorf("--duration %v: want at least three times the pause, %v", o.duration, 3*o.pause)
	case float64(o.rate)*o.duration.Seconds() > verify.MostMessages:
		return fmt.Errorf("--rate %d for %v: want at most %d messages in all, because each is kept to be compared", o.rate, o.duration, verify.MostMessages)
	}
	return nil
}

func (o verifyOptions) measure(ctx context.Context, s command.Streams) ([]verify.Check, error) {
	if o.target != "" {
		return o.measureLive(ctx, s)
	}
	v := verify.Verifier{
		Observer: testbed.NewObserver,
		Start: func(cfg loopback.Config, connections, messages int) (verify.System, error) {
			return child.StartWitness(cfg, connections, messages)
		},
		Begin: func(c verify.Scenario, n, of int) {
			fmt.Fprintf(s.Err, "[%d/%d] %s, %s: %v\n", n, of, c.Name, c.Mode(), c.Cell.Settings.Warmup+c.Cell.Settings.Duration)
		},
	}
	return v.Run(ctx, verify.Scenarios(verify.Settings{Duration: o.duration, Rate: o.rate}))
}

// measureLive pauses a broker in the middle of the window.
func (o verifyOptions) measureLive(ctx context.Context, s command.Streams) (checks []verify.Check, err error) {
	target, err := running(s, o.target)
	if err != nil {
		return nil, command.Usage(err)
	}
	run := "verify-" + run.NewID(time.Now())
	f, err := target.Open(run)
	if err != nil {
		return nil, command.Usage(err)
	}
	pauser, err := child.StartPauser(o.pid)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, pauser.Close()) }()
	cell := o.liveCell(target.Broker.Name)
	when := loopback.Freeze{At: cell.Settings.Warmup + (cell.Settings.Duration-o.pause)/2, For: o.pause}
	fmt.Fprintf(s.Err, "%s: %v; pid %d is paused for %v after %v\n", cell.Target.Name,
		cell.Settings.Warmup+cell.Settings.Duration, o.pid, when.For, when.At)
	var left Leftovers
	check, err := verify.Live(ctx, f, cell, pauser, when, measure.Options{
		Redact: brokers.Redact, Observer: testbed.NewObserver(), GiveUp: s.GiveUp,
		Left: func(names []string) { left.Add(cell, names) },
	})
	left.Say(s, run)
	if err != nil {
		return nil, err
	}
	return []verify.Check{check}, nil
}

func (o verifyOptions) liveCell(name string) plan.Cell {
	return plan.Cell{
		Target:   plan.Target{Name: name, URL: o.target},
		Shape:    plan.Shape{Rate: schedule.Rate(o.rate), Size: 256, Connections: 1},
		Settings: plan.Settings{Duration: o.duration, Warmup: time.Second, Timeout: max(30*time.Second, 3*o.pause)},
	}
}
