// Package cli is the command line of brokerbench, a file for each command. A command
// parses and checks its flags, calls one function with one options struct and the
// streams, and shows the document that comes of it.
package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/child"
	"github.com/brokerbench/brokerbench/cmd/internal/live"
	"github.com/brokerbench/brokerbench/internal/suggest"
	"github.com/brokerbench/brokerbench/plan/config"
)

// Streams are all that a command reads from and writes to, its environment, and the
// brokers that it knows.
type Streams struct {
	In      io.Reader
	Out     io.Writer    // results
	Err     io.Writer    // progress, notes and errors; Main waits for nobody who reads them
	Screen  *live.Screen // Err, if that is a terminal whose lines can be redrawn; else nil
	Environ []string
	Columns int           // how wide Out is, if it is a terminal; else 0
	Colour  bool          // Out is a terminal that shows colours
	Brokers brokers.Table // what targets may name

	talk *live.Talk // what Err, or Screen, writes to; nil in tests of a Screen

	// GiveUp is closed when a command has to end at once, with what there is. Main
	// sets it.
	GiveUp <-chan struct{}
}

// System returns the process's own streams, with these brokers.
func System(table brokers.Table) Streams {
	s := Streams{In: os.Stdin, Out: os.Stdout, Environ: os.Environ(), Brokers: table, talk: live.NewTalk(os.Stderr)}
	s.Err = s.talk
	s.Columns, s.Colour = terminal(os.Stdout, s.Environ)
	if s.Screen = screen(os.Stderr, s.talk, s.Environ); s.Screen != nil {
		s.Err = s.Screen
	}
	return s
}

// Main runs the command line and returns the exit code.
func Main(args []string, s Streams) int {
	if code, isChild := serveChild(args, s); isChild {
		return code
	}
	if s.talk == nil && s.Screen == nil {
		s.talk = live.NewTalk(s.Err)
		s.Err = s.talk
	}
	if asksForJSON(args) {
		s.Err, s.Screen = live.Notices{W: s.Err}, nil
	}
	if err := s.Brokers.Check(); err != nil {
		printError(s.Err, err)
		s.talk.Flush(patience)
		return exitError
	}
	ctx, giveUp, stop := interruptible(context.Background(), s.Err)
	defer stop()
	s.GiveUp, s.Out = giveUp, newStdout(ctx, s)
	root := newRoot(s, args)
	root.SetArgs(args)
	running := false
	root.PersistentPreRun = func(*cobra.Command, []string) { running = true }
	err := root.ExecuteContext(ctx)
	if err != nil && !running {
		err = usage(err)
	}
	printError(s.Err, err)
	s.talk.Flush(patience)
	return exitCode(err)
}

// serveChild does a child's work, if brokerbench started this process as one.
func serveChild(args []string, s Streams) (code int, isChild bool) {
	isChild, err := child.ServeEcho(args, s.In, s.Out, s.open)
	if !isChild && err == nil {
		isChild, err = child.Serve(args, s.In, s.Out)
	}
	if err != nil {
		fmt.Fprintln(s.Err, err)
		s.talk.Flush(patience)
		return exitError, isChild
	}
	return exitGood, isChild
}

// printError writes a line for each error. Mistakes in a plan stay as they are,
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
		if said[line] {
			continue
		}
		said[line] = true
		live.Say(w, live.Notice{Kind: live.Failed, Exit: exitCode(err), Text: line}, head+line)
	}
}

// asksForJSON reports whether all that is said has to be an object, also what is said of
// flags that cannot be read.
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

func newRoot(s Streams, args []string) *cobra.Command {
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
		Args:          unknownCommand,
		RunE:          rootAlone(s),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.Flags().BoolP("version", "v", false, "version for brokerbench")
	root.SetUsageFunc(printUsage)
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newRun(s, args), newFault(s, args), newAgent(s), newResume(s, args), newSearch(s, args), newAB(s, args), newReport(s), newCompare(s), newHistory(s), newList(s), newPlan(s), newConfig(s), newBrokers(s), newDurability(s), newClean(s), newVerify(s), newDoctor(s), newPlot(s), newMerge(s), newVersion(s))
	completeFlags(s, root)
	return root
}

// rootAlone does what is asked for without a command.
func rootAlone(s Streams) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, _ []string) error {
		if asked, err := c.Flags().GetBool("version"); err != nil || !asked {
			return errors.Join(err, c.Help())
		}
		_, err := io.WriteString(s.Out, versionLine())
		return err
	}
}

// printUsage prints cobra's usage, with flags wrapped at 80 columns. A template of our own
// would say the same in a line, but then text/template is linked, which finds methods by
// name: so the linker keeps every method there is, and the program has half its size more.
func printUsage(c *cobra.Command) error {
	out := c.OutOrStderr()
	var text bytes.Buffer
	c.SetOut(&text)
	err := new(cobra.Command).UsageFunc()(c)
	c.SetOut(out)
	wrapped := text.String()
	for _, flags := range []*pflag.FlagSet{c.LocalFlags(), c.InheritedFlags()} {
		wrapped = strings.Replace(wrapped, strings.TrimSpace(flags.FlagUsages()), strings.TrimSpace(flags.FlagUsagesWrapped(80)), 1)
	}
	_, failed := io.WriteString(out, wrapped)
	return errors.Join(err, failed)
}

// flagError says what is wrong with a flag, and where its help is.
func flagError(c *cobra.Command, err error) error {
	if invalid := (*pflag.InvalidValueError)(nil); errors.As(err, &invalid) {
		err = fmt.Errorf("--%s %q: %w", invalid.GetFlag().Name, invalid.GetValue(), invalid.Unwrap())
	}
	return usage(fmt.Errorf("%w (see `%s --help`)", err, c.CommandPath()))
}

// unknownCommand refuses a first argument that is not a command.
func unknownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		names = append(names, sub.Name())
	}
	return fmt.Errorf("unknown command %q%s (see `%s --help`)", args[0], suggest.Hint(args[0], names), c.CommandPath())
}
