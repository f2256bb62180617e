package cli

import (
	"errors"
	"fmt"
	"strings"

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

A kill is the crash of a process: its writes stay in the page cache. A loss of power is
--power-off, for nodes that have separate file systems: local:nats,data=256MiB.

Exit codes are those of run.`

// A faultFlag is the one thing that breaks.
type faultFlag struct {
	do    plan.FaultKind
	what  string   // a node, or the command of run
	given []string // flags that say what breaks
}

func newFault(s command.Streams, args []string) *cobra.Command {
	o := runOptions{measureOptions: measureOptions{args: args, plan: planning.PlanFlags{Defaults: config.Values{
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
	o.plan.DefineKeys(c.Flags())
	o.define(c.Flags())
	f.define(c.Flags())
	return c
}

// define defines a flag for each thing that may break, and for each key of a fault.
func (f *faultFlag) define(flags *pflag.FlagSet) {
	for _, kind := range []struct {
		do   plan.FaultKind
		help string
	}{
		{plan.Kill, "kill `NODE` (SIGKILL)"},
		{plan.Stop, "stop `NODE` in good order"},
		{plan.Wipe, "kill `NODE` and remove all its data"},
		{plan.PowerOff, "cut the power of `NODE`: kill it, and what its disk has not got is lost"},
		{plan.Pause, "pause `NODE` (SIGSTOP), or consumers: those of brokerbench itself"},
		{plan.Cut, "let nothing through between clients and `NODE`"},
		{plan.HalfOpen, "let nothing through from `NODE` to clients"},
		{plan.Slow, "make the network between clients and `NODE` slow: --delay, --jitter, --loss, --throttle"},
		{plan.FillDisk, "fill the disk on which `NODE` keeps its data"},
		{plan.Run, "run `COMMAND`, words without quotes"},
	} {
		flags.Func(string(kind.do), kind.help, func(text string) error { return f.breaks(kind.do, text) })
	}
	flags.String("at", "10s", "when it breaks: a `duration` after the warm-up")
	flags.String("for", "5s", "`duration` until it is healed, or the node started again; 0: until the end of the cell")
	flags.Bool("fresh", false, "of --power-off: sync nothing before, so that the node's files and topics are at stake too")
	flags.String("delay", "", "of --slow: `duration` by which everything comes later, in each direction")
	flags.String("jitter", "", "of --slow: `duration` by which the delay varies, up and down")
	flags.String("loss", "", "of --slow: part of the segments that are lost, and sent again, such as `1%`")
	flags.String("throttle", "", "of --slow: bytes per second that get through, such as `1MiB/s`")
}

// breaks notes what breaks.
func (f *faultFlag) breaks(do plan.FaultKind, text string) error {
	if text == "" {
		return errors.New("want a node: leader, any-follower, any, all, or the name of one")
	}
	f.do, f.what, f.given = do, text, append(f.given, "--"+string(do))
	return nil
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
	values := make(map[string]string) // that a plan file would have, by their keys
	for _, name := range []string{"at", "for", "delay", "jitter", "loss", "throttle"} {
		if text := flags.Lookup(name).Value.String(); text != "" || flags.Changed(name) {
			values[name] = text
		}
	}
	if fresh, _ := flags.GetBool("fresh"); fresh {
		values["fresh"] = "on"
	}
	var program []string
	switch {
	case f.do == plan.Run && strings.ContainsAny(f.what, `"'\`):
		return nil, fmt.Errorf("--run %q: quotes are not understood: write a script, or a plan file", f.what)
	case f.do == plan.Run:
		if program = strings.Fields(f.what); !flags.Changed("for") {
			delete(values, "for")
		}
	case f.do == plan.Pause && f.what == plan.Consumers:
		values["pause"] = f.what
	default:
		values["do"], values["node"] = string(f.do), f.what
	}
	if (plan.Fault{Do: f.do}).EndsNode() {
		values["restart"] = values["for"]
		delete(values, "for")
	}
	one, err := config.ReadFault(values, program)
	return []plan.Fault{one}, err
}
