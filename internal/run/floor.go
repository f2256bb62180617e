package run

import (
	"context"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// floorTimeout is how long the replies of a floor may take.
const floorTimeout = 2 * time.Second

// Floor measures what a cell costs without a broker. It measures the cell's shape
// against a requester that answers in the call, and against echo, a TCP echo in
// another process, for as long as [plan.Cell.FloorWindow] says. With groups of consumers the echo
// writes a copy to each group; it is a [requester.Grouper] that has no topology yet.
func Floor(ctx context.Context, cell plan.Cell, echo requester.Factory) (*results.Floor, error) {
	return floor(ctx, cell, echo, Options{})
}

func floor(ctx context.Context, cell plan.Cell, echo requester.Factory, o Options) (*results.Floor, error) {
	window := cell.FloorWindow()
	cell = cell.Peak()                                                      // which the tool must carry
	cell.Shape.Headers, cell.Shape.Keys = plan.Headers{}, plan.Shape{}.Keys // neither has any
	cell.Shape.Backlog, cell.Shape.UntilStore = plan.Backlog{}, 0
	cell.Settings.Users, cell.SLOs = nil, nil
	cell.Settings.Warmup, cell.Settings.Timeout = plan.FloorWarmup, floorTimeout
	noop, err := loopback.New(loopback.Config{})
	if err != nil {
		return nil, err
	}
	var f results.Floor
	for _, system := range []struct {
		name    string
		factory requester.Factory
		window  time.Duration
		run     *results.FloorRun
	}{{"no-op", noop, plan.FloorNoop, &f.Noop}, {"TCP echo", echo, window, &f.Echo}} {
		cell.Target, cell.Settings.Duration = plan.Target{Name: system.name}, system.window
		c, err := Cell(ctx, system.factory, cell, o)
		if err != nil {
			return nil, fmt.Errorf("floor of %v: %s: %w", cell.Shape, system.name, err)
		}
		if c.Interrupted {
			return nil, context.Cause(ctx)
		}
		*system.run = results.FloorRun{OfferedPerS: c.OfferedPerS, ReachedPerS: c.ReachedPerS, Response: c.Response}
	}
	return &f, nil
}
