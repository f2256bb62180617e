package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/agents/agent"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/internal/run/testbed"
)

const agentLong = `Agent takes part in a run that is spread over several machines: it measures its part of
each cell and delivers the result to the coordinator, which is brokerbench run
--agents on another machine. It listens on no port.

Each agent has its own join file, with the address of the run and a secret key. With --join -
the agent reads it from standard input, and ends when that input ends, for example when the ssh
connection that started it is cut. An agent started with a file outlives its coordinator: it
stops the cell when the lease ends without a message, waits ten minutes, and takes part again
if brokerbench resume continues the run, which collects its result of the cell.

Ctrl-C, or SIGTERM, ends the agent once its measurements so far are delivered, within a
minute at most; the second one ends it at once. The last line then names the folder of
undelivered results.`

func newAgent(s command.Streams) *cobra.Command {
	var join string
	c := &cobra.Command{
		Use:     "agent --join FILE",
		Short:   "Measure a part of a run for a coordinator on another machine",
		Long:    agentLong,
		Example: `  brokerbench agent --join 0.json`,
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return takePart(c.Context(), s, join) },
	}
	c.Flags().StringVar(&join, "join", "", "join file of this agent; - is standard input")
	return c
}

// takePart is an agent from its beginning to its end.
func takePart(ctx context.Context, s command.Streams, join string) (err error) {
	if join == "" {
		return command.Usage(errors.New("agent needs --join FILE, which brokerbench run --agents writes"))
	}
	j, ended, err := readJoin(s, join)
	if err != nil {
		return command.Usage(err)
	}
	ctx, giveUp, stop := until(ctx, s, ended)
	defer stop()
	dir, err := os.MkdirTemp("", "brokerbench-agent-")
	if err != nil {
		return fmt.Errorf("making a folder for results: %w", err)
	}
	host := agent.NewHost(os.TempDir(), j.Run)
	err = agent.Run(ctx, agent.Config{
		Join: j, Version: machine.Version(), Environment: machine.Environment(), Dir: dir, GiveUp: giveUp,
		Zero: clockZero(), Say: func(text string) { fmt.Fprintln(s.Err, text) },
		Measure: func(ctx context.Context, t wire.Task, dir string, hooks agent.Hooks) error {
			known := testbed.NewTargets(s.Brokers)
			if _, err := known.Parse(t.Cell.Target.URL); err != nil {
				return err
			}
			if err := checkFiles(known, max(t.Part.Of, 1), t.Cell); err != nil {
				return err
			}
			if err := host.Hold(); err != nil {
				return err
			}
			return testbed.MeasurePart(ctx, s.Brokers, t, dir, hooks)
		},
	})
	return ofAgent(err, dir)
}

// clockZero returns when the clock of the machine was at zero. Agents use that clock, so that the
// stamps of one agent's echo are valid for the others. It returns the zero time if it is unknown.
func clockZero() time.Time {
	c, ok := machine.NewHostClock()
	if !ok {
		return time.Time{}
	}
	now := time.Now()
	return now.Add(-time.Duration(c.At(now)))
}

// readJoin reads the join file, and returns a channel that is closed when standard input has
// ended, if that is where it comes from; else nil.
func readJoin(s command.Streams, path string) (j wire.Join, ended chan struct{}, err error) {
	in := s.In
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return j, nil, fmt.Errorf("reading the join file: %w", err)
		}
		defer file.Close()
		in = file
	}
	if j, err = wire.ReadJoin(in); err != nil || path != "-" {
		return j, nil, err
	}
	ended = make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, s.In)
	}()
	return j, ended, nil
}

// Why an agent ends before its run does.
var (
	errSignal = errors.New("interrupted")
	errInput  = errors.New("standard input has ended")
)

// ofAgent returns an agent's error with its exit code. It removes the agent's folder, unless the
// folder holds an undelivered result that may be needed. The result is not needed if the agent's
// standard input has ended: its coordinator is gone, or measures without it.
func ofAgent(err error, dir string) error {
	kept := new(agent.Undelivered)
	switch {
	case errors.Is(err, errInput):
		err = errInput
	case errors.As(err, &kept):
		if errors.Is(err, errSignal) {
			return command.Fail(command.ExitInterrupted, err)
		}
		return err
	case errors.Is(err, errSignal):
		err = command.Fail(command.ExitInterrupted, nil)
	}
	if failed := os.RemoveAll(dir); err == nil {
		return failed
	}
	return err
}

// until returns a context that ends with the user's first signal or with standard input, and a
// channel that is closed with the second signal or with standard input, as the coordinator then
// no longer waits for the agent.
func until(signals context.Context, s command.Streams, input <-chan struct{}) (ctx context.Context, giveUp <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(signals))
	unlink := context.AfterFunc(signals, func() { cancel(errSignal) })
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		select {
		case <-s.GiveUp:
			close(over)
		case <-input:
			cancel(errInput)
			close(over)
		case <-done:
		}
	}()
	return ctx, over, func() {
		unlink()
		close(done)
		cancel(nil)
	}
}
