package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cluster/agent"
	"github.com/brokerbench/brokerbench/cluster/wire"
	"github.com/brokerbench/brokerbench/cmd/internal/child"
	"github.com/brokerbench/brokerbench/machine"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/loopback"
	"github.com/brokerbench/brokerbench/results"
)

const agentLong = `Agent takes part in a run that is spread over several machines: it measures its part of
each cell and delivers what it measured to the coordinator, which is brokerbench run
--agents on another machine. It listens on no port.

The join file is of this agent alone. It says where the run is and proves who the agent is:
keep it secret. With --join - it is read from standard input, and the agent ends when that
ends, as it does when the ssh connection is cut through which it was started. An agent that
was started with a file goes on without its coordinator: it finishes the cell, keeps the
result, and delivers it when brokerbench resume goes on with the run.

Ctrl-C, or SIGTERM, ends the agent once what it measured so far is delivered, for which it
takes a minute at most; the second one ends it at once. What is not delivered then is kept,
and the last line says where.`

func newAgent(s Streams) *cobra.Command {
	var join string
	c := &cobra.Command{
		Use:     "agent --join FILE",
		Short:   "Measure a part of a run that another machine coordinates",
		Long:    agentLong,
		Example: `  brokerbench agent --join 0.json`,
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return takePart(c.Context(), s, join) },
	}
	c.Flags().StringVar(&join, "join", "", "the join file of this agent alone, - for standard input")
	return c
}

// takePart is an agent from its beginning to its end.
func takePart(ctx context.Context, s Streams, join string) (err error) {
	if join == "" {
		return usage(errors.New("agent needs --join FILE, which brokerbench run --agents writes"))
	}
	j, ended, err := s.readJoin(join)
	if err != nil {
		return usage(err)
	}
	ctx, giveUp, stop := s.until(ctx, ended)
	defer stop()
	dir, err := os.MkdirTemp("", "brokerbench-agent-")
	if err != nil {
		return fmt.Errorf("making a folder for results: %w", err)
	}
	err = agent.Run(ctx, agent.Config{
		Join: j, Version: measure.Version(), Environment: measure.Environment(), Dir: dir, Measure: s.measurePart, GiveUp: giveUp,
		Zero: clockZero(), Say: func(text string) { fmt.Fprintln(s.Err, text) },
	})
	return ofAgent(err, dir)
}

// clockZero returns when the clock of the machine showed nothing: agents go by that one, so that
// what their echoes stamp means something to the others. It is the zero time if it is not known.
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
func (s Streams) readJoin(path string) (j wire.Join, ended <-chan struct{}, err error) {
	if path != "-" {
		j, err = readJoinFile(path)
		return j, nil, err
	}
	if j, err = wire.ReadJoin(s.In); err != nil {
		return j, nil, err
	}
	end := make(chan struct{})
	go func() {
		defer close(end)
		_, _ = io.Copy(io.Discard, s.In)
	}()
	return j, end, nil
}

func readJoinFile(path string) (j wire.Join, err error) {
	file, err := os.Open(path)
	if err != nil {
		return j, fmt.Errorf("reading the join file: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	return wire.ReadJoin(file)
}

// measurePart measures an agent's part of a cell.
func (s Streams) measurePart(ctx context.Context, t wire.Task, dir string, hooks agent.Hooks) error {
	known := newTargets(s.Brokers)
	if _, err := known.parse(t.Cell.Target.URL); err != nil {
		return err
	}
	part := schedule.Share{Index: t.Index, Of: t.Of}
	floor, err := floorOfPart(ctx, t, part)
	if err != nil {
		return err
	}
	f, err := known.parsed[t.Cell.Target.URL].Through(t.Via).Open(t.Run)
	if err != nil {
		return err
	}
	back, err := known.echoOfPart(t, part, hooks)
	if err != nil {
		return err
	}
	_, err = measure.Cell(ctx, f, t.Cell, measure.Options{
		Echo: back,
		ID:   t.ID, Folder: results.OpenCell(dir), Part: part, Shared: known.shared(t.Cell.Target), Redact: brokers.Redact, Floor: floor, Observer: newObserver(),
		Ready: hooks.Ready, Started: hooks.Started, Spanned: hooks.Spanned, Mended: hooks.Settled, GiveUp: hooks.GiveUp,
		Progress: func(p measure.Progress) { hooks.Progress(p.Due, p.Done) },
	})
	return err
}

// floorOfPart measures what the part costs without a broker, if that is wanted.
func floorOfPart(ctx context.Context, t wire.Task, part schedule.Share) (_ *results.Floor, err error) {
	if !t.Cell.Settings.Floor {
		return nil, nil
	}
	cell, err := t.Cell.Part(part)
	if err != nil {
		return nil, err
	}
	echo, err := child.StartTCP(loopback.Config{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, echo.Stop()) }()
	return measure.Floor(ctx, cell, echo)
}
