package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/cmd/internal/planning"
	"github.com/brokerbench/brokerbench/internal/config"
	"github.com/brokerbench/brokerbench/plan"
)

const faultLong = `Fault measures a target while one thing breaks: the short form of a plan with one
fault. The fault {at: 10s, do: kill, node: leader, restart: 5s} of a plan is

  brokerbench fault TARGET --kill leader --at 10s --for 5s

A node is leader, any-follower, any, all, or the name of one: 1, 2 and so on, or as
the plan file names it. local:nats,nodes=3 is a cluster that brokerbench starts
and always ends. Nodes that it did not start break only with --allow-faults; the
network in front of a node may always break, because only brokerbench's own connections
go through it. docs/faults.md explains each fault and its limits.

A kill is the crash of a process: its writes stay in the page cache. It shows nothing
about a loss of power.

Exit codes are those of run.`

// A faultFlag is the one thing that breaks.
type faultFlag struct {
	do         plan.FaultKind
	node       string
	command    string
	at, lasts  time.Duration
	delay      time.Duration
	jitter     time.Duration
	loss, rate string
	given      []string // flags that say what breaks
}

func newFault(s command.Streams, args []string) *cobra.Command {
	o := runOptions{measureOptions: measureOptions{agents: newRemote(), args: args, plan: planning.PlanFlags{Defaults: config.Values{
		"rate": {"500"}, "duration": {"30s"}, "warmup": {"3s"}, "timeout": {"15s"}, "floor": {"off"}, "name": {"fault"},
	}}}}
	var f faultFlag
	c := &cobra.Command{
		Use:   "fault TARGET...",
		Short: "Measure a target while a node is killed, paused or cut off",
		Long:  faultLong,
		Example: `  brokerbench fault 'local:nats,nodes=3?stream=file&replicas=3' --kill leader
  brokerbench fault local:kafka,nodes=3,durability=node --pause leader --for 8s --duration 1m
  brokerbench fault redis://127.0.0.1:6379 --slow all --delay 20ms --loss 1%`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: planning.CompleteTargets(s),
		RunE: func(c *cobra.Command, targets []string) error {
			o.targets, o.faults = targets, func() ([]plan.Fault, error) { return f.fault(c.Flags()) }
			return runPlan(c.Context(), s, o)
		},
	}
	o.plan.DefineKeys(c.Flags(), nil)
	o.define(c.Flags())
	o.agents.define(c.Flags())
	command.DefineDetails(c.Flags(), &o.details)
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "print what would be measured, and how long it would take")
	defineAllowFaults(c.Flags(), &o.allowFaults)
	f.define(c.Flags())
	return c
}

// define defines a flag for each thing that may break, and how.
func (f *faultFlag) define(flags *pflag.FlagSet) {
	what := map[plan.FaultKind]string{
		plan.Kill: "kill `NODE` (SIGKILL)", plan.Stop: "stop `NODE` in good order", plan.Pause: "pause `NODE` (SIGSTOP), or consumers: those of brokerbench itself",
		plan.Cut:      "let nothing through between clients and `NODE`",
		plan.HalfOpen: "let nothing through from `NODE` to clients",
		plan.Slow:     "make the network between clients and `NODE` slow: --delay, --jitter, --loss, --throttle",
		plan.FillDisk: "fill the disk on which `NODE` keeps its data",
	}
	for _, b := range plan.FaultKinds() {
		flags.Var(breakFlag{f, b, &f.node}, string(b), what[b])
	}
	flags.Var(breakFlag{f, plan.Run, &f.command}, "run", "run `COMMAND`, words without quotes")
	flags.DurationVar(&f.at, "at", 10*time.Second, "when it breaks, after the warm-up")
	flags.DurationVar(&f.lasts, "for", 5*time.Second, "how long until it is mended, or the node started again; 0: until the end of the cell")
	flags.DurationVar(&f.delay, "delay", 0, "of --slow: how much later everything comes, in each direction")
	flags.DurationVar(&f.jitter, "jitter", 0, "of --slow: by how much the delay varies, up and down")
	flags.StringVar(&f.loss, "loss", "", "of --slow: part of the segments that are lost, and sent again, such as `1%`")
	flags.StringVar(&f.rate, "throttle", "", "of --slow: bytes per second that get through, such as `1MiB/s`")
}

// fault returns the fault that the flags say.
func (f *faultFlag) fault(flags *pflag.FlagSet) ([]plan.Fault, error) {
	switch len(f.given) {
	case 0:
		return nil, errors.New("name a fault, such as --kill leader")
	case 1:
	default:
		return nil, fmt.Errorf("%s: one thing breaks; several are a plan file (docs/faults.md)", strings.Join(f.given, " and "))
	}
	values, err := f.values(flags)
	if err != nil {
		return nil, err
	}
	one, err := config.ReadFault(values, strings.Fields(f.command))
	return []plan.Fault{one}, err
}

// values returns what a plan file would say, by its keys, but the command of run.
func (f *faultFlag) values(flags *pflag.FlagSet) (map[string]string, error) {
	if f.do == plan.Run && strings.ContainsAny(f.command, `"'\`) {
		return nil, fmt.Errorf("--run %q: quotes are not understood: write a script, or a plan file", f.command)
	}
	values := map[string]string{"at": f.at.String()}
	switch {
	case f.do == plan.Run:
	case f.do == plan.Pause && f.node == plan.Consumers:
		values["pause"] = f.node
	default:
		values["do"], values["node"] = string(f.do), f.node
	}
	switch lasts := f.lasts.String(); {
	case f.do == plan.Kill || f.do == plan.Stop:
		values["restart"] = lasts
	case f.do != plan.Run || flags.Changed("for"):
		values["for"] = lasts
	}
	for _, name := range []string{"delay", "jitter", "loss", "throttle"} {
		if flags.Changed(name) {
			values[name] = flags.Lookup(name).Value.String()
		}
	}
	return values, nil
}

// A breakFlag implements pflag.Value: that a thing breaks, and which.
type breakFlag struct {
	f    *faultFlag
	do   plan.FaultKind
	what *string
}

func (breakFlag) String() string { return "" }

// Type names what help shows.
func (breakFlag) Type() string { return "string" }

// Set notes what breaks.
func (b breakFlag) Set(text string) error {
	if text == "" {
		return errors.New("want a node: leader, any-follower, any, all, or the name of one")
	}
	b.f.do, *b.what = b.do, text
	b.f.given = append(b.f.given, "--"+string(b.do))
	return nil
}
