package planning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

const adapterLong = `An adapter is a program of yours that carries messages through a system which
brokerbench does not know, in any language: brokerbench run 'exec:./my-adapter --flag'.
docs/adapters.md describes the frames that it reads and writes.`

// NewAdapter returns the command `adapter`.
func NewAdapter(s command.Streams) *cobra.Command {
	c := &cobra.Command{
		Use: "adapter", Short: "Test an adapter of exec: targets, or be one that only sends back", Long: adapterLong,
		Example: `  brokerbench adapter test ./my-adapter --flag
  brokerbench run exec:'brokerbench adapter echo'`,
		Args: command.UnknownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(&cobra.Command{
		Use: "test COMMAND…", Short: "Check an adapter against the rules, a line for each check",
		Long: `Test starts the adapter as a run does and checks every rule of docs/adapters.md: messages
of 16 B to 1 MiB come back intact and once, 30 connections do not cross, acknowledgements
come if they were announced, and nothing goes on after the end. An adapter that announces
echo=true is then checked as the floor, too.

Exit codes: 0 every rule was kept; 1 one was not; 2 a mistake in the command line.`,
		Example:            `  brokerbench adapter test ./my-adapter --flag`,
		DisableFlagParsing: true,
		RunE:               func(c *cobra.Command, args []string) error { return testAdapter(c, s, args) },
	}, &cobra.Command{
		Use: "echo", Short: "Be an adapter that sends every message back: the floor of exec: targets",
		Example: `  brokerbench run exec:'brokerbench adapter echo'`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := brokers.Serve([]string{"adapter", "echo"}, s.In, s.Out)
			return err
		},
	})
	return c
}

// testAdapter checks an adapter.
func testAdapter(c *cobra.Command, s command.Streams, args []string) error {
	if len(args) == 0 || args[0] == "--help" || args[0] == "-h" {
		return errors.Join(c.Help(), command.Usage(wantCommand(args)))
	}
	f, err := brokers.Adapter("adapter-test", args...)
	if err != nil {
		return command.Usage(err)
	}
	_, err = f.Describe(c.Context())
	if c.Context().Err() != nil {
		return command.Fail(command.ExitInterrupted, nil)
	}
	if err != nil {
		return err
	}
	broken := check(c.Context(), s, f, "")
	echo, err := f.Echo(c.Context())
	if err == nil && echo != nil {
		broken += check(c.Context(), s, echo, "echo ")
	}
	if c.Context().Err() != nil {
		return command.Fail(command.ExitInterrupted, nil)
	}
	if broken > 0 {
		return fmt.Errorf("the adapter breaks %d of the rules (docs/adapters.md)", broken)
	}
	return err
}

// check checks an adapter, prints a line for each rule, and returns how many it breaks.
func check(ctx context.Context, s command.Streams, f requester.Factory, as string) (broken int) {
	began := time.Now()
	requestertest.Check(ctx, f, func(name string, problems []string) {
		slices.Sort(problems) // connections often have the same
		problems = slices.Compact(problems)
		line := fmt.Sprintf("ok    %-27s %.1f s", as+name, time.Since(began).Seconds())
		if len(problems) > 0 {
			broken++
			line = fmt.Sprintf("FAIL  %-27s %s", as+name, strings.Join(problems, "; "))
		}
		fmt.Fprintln(s.Out, brokers.Redact(strings.ReplaceAll(line, "\n", " ")))
		began = time.Now()
	})
	return broken
}

// wantCommand is the mistake of a command line without a command.
func wantCommand(args []string) error {
	if len(args) > 0 {
		return nil
	}
	return errors.New("adapter test: want the command of an adapter, such as ./my-adapter --flag")
}
