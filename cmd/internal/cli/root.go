// Package cli is the command line of brokerbench, a file for each command. A command
// parses and checks its flags, calls one function with one options struct and the
// streams, and shows the document that comes of it.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/analysis"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/cmd/internal/planning"
	"github.com/brokerbench/brokerbench/cmd/internal/production"
	"github.com/brokerbench/brokerbench/internal/config"
	"github.com/brokerbench/brokerbench/internal/live"
	"github.com/brokerbench/brokerbench/internal/run/testbed"
)

// Main runs the command line and returns the exit code.
func Main(args []string, s command.Streams) int {
	if code, isChild := serveChild(args, s); isChild {
		return code
	}
	if s.Talk == nil && s.Screen == nil {
		s.Talk = live.NewAsyncWriter(s.Err)
		s.Err = live.Plain{W: s.Talk}
	}
	if asksForJSON(args) {
		s.Err, s.Screen = live.Notices{W: s.Err}, nil
	}
	if err := s.Brokers.Check(); err != nil {
		printError(s.Err, err)
		s.Talk.Flush(command.Patience)
		return command.ExitError
	}
	ctx, giveUp, stop := command.Interruptible(context.Background(), s.Err)
	defer stop()
	s.GiveUp, s.Out = giveUp, command.NewStdout(ctx, s)
	root := newRoot(s, args)
	root.SetArgs(args)
	running := false
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		running = true
		return withHelp(c)
	}
	err := root.ExecuteContext(ctx)
	if err != nil && !running {
		err = command.Usage(err)
	}
	printError(s.Err, err)
	s.Talk.Flush(command.Patience)
	return command.ExitCode(err)
}

// serveChild does a child's work, if brokerbench started this process as one.
func serveChild(args []string, s command.Streams) (code int, isChild bool) {
	isChild, err := testbed.Serve(args, s.In, s.Out, s.Brokers)
	if err != nil {
		fmt.Fprintln(s.Err, err)
		s.Talk.Flush(command.Patience)
		return command.ExitError, isChild
	}
	return command.ExitGood, isChild
}

// printError writes a line for each error. Mistakes in a plan are printed unchanged,
// because editors recognise file:line:column at the beginning of a line.
func printError(w io.Writer, err error) {
	if err == nil || err.Error() == "" {
		return
	}
	text, head := brokers.Redact(err.Error()), ""
	if mistakes := (config.Mistakes)(nil); !errors.As(err, &mistakes) || mistakes[0].Where == "" {
		head = "brokerbench: "
	}
	if errors.Is(err, syscall.ENOSPC) {
		text += " (free some space, or choose another folder with --out)"
	}
	said := make(map[string]bool) // each cell of a target that is down has the same error
	for line := range strings.SplitSeq(text, "\n") {
		if said[line] || strings.Contains(line, command.ErrLeft.Error()) {
			continue
		}
		said[line] = true
		live.Say(w, live.Notice{Kind: live.Failed, Exit: command.ExitCode(err), Text: line}, head+line)
	}
}

// asksForJSON reports whether the flags ask for messages as JSON objects, including the
// messages about flags that cannot be parsed.
func asksForJSON(args []string) (asked bool) {
	for i, arg := range args {
		switch value, isFlag := strings.CutPrefix(arg, "--progress="); {
		case arg == "--":
			return asked
		case isFlag:
			asked = value == "json"
		case arg == "--progress" && i+1 < len(args):
			asked = args[i+1] == "json"
		}
	}
	return asked
}

func newRoot(s command.Streams, args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "brokerbench",
		Short: "Measure message-broker latency honestly",
		Long: `brokerbench measures how long a message takes to go through a broker and come
back, at a given rate and size: the whole distribution up to the maximum, counted
from the moment each message was due, with every message that was due accounted
for.`,
		Example: `  brokerbench run                                  # needs no broker: starts its own NATS server
  brokerbench run nats://127.0.0.1:4222 --rate 3000,20000 --size 256B,1KiB
  brokerbench run -f plan.yaml`,
		Args:          command.UnknownCommand,
		RunE:          rootAlone(s),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.Flags().BoolP("version", "v", false, "version for brokerbench")
	root.SetUsageFunc(printUsage)
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	root.SetFlagErrorFunc(command.FlagError)
	addGroup(root, "Measure", newRun(s, args), newSearch(s, args), newAB(s, args))
	addGroup(root, "Measure", newFault(s, args)) // internal/faults
	addGroup(root, "Measure", production.NewCanary(s))
	addGroup(root, "Read", analysis.NewReport(s), analysis.NewWhy(s), analysis.NewCompare(s), analysis.NewHistory(s), analysis.NewPlot(s), analysis.NewList(s))
	addGroup(root, "Trust", analysis.NewReproduce(s, rerun(args)), planning.NewVerify(s), planning.NewDoctor(s), planning.NewAdapter(s))
	addGroup(root, "Targets and plans", planning.NewBrokers(s), planning.NewDurability(s), planning.NewPlan(s), planning.NewConfig(s))
	addGroup(root, "Plumbing", planning.NewClean(s), analysis.NewMerge(s), planning.NewVersion(s))
	addGroup(root, "Plumbing", newAgent(s), newResume(s, args)) // internal/agents
	groupHelp(root)
	planning.CompleteFlags(s, root)
	return root
}

// rootAlone does what is asked for without a command.
func rootAlone(s command.Streams) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, _ []string) error {
		if asked, err := c.Flags().GetBool("version"); err != nil || !asked {
			return errors.Join(err, c.Help())
		}
		_, err := io.WriteString(s.Out, planning.VersionLine())
		return err
	}
}
