package measure

import (
	"context"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/loopback"
	"github.com/brokerbench/brokerbench/results"
)

// How long a floor is measured, and how long its replies may take.
const (
	floorWarmup  = 250 * time.Millisecond
	floorWindow  = time.Second
	floorTimeout = 2 * time.Second
)

// Floor measures what a cell costs without a broker. It measures the cell's shape
// for a second against a requester that answers in the call, and against echo, a
// TCP echo in another process.
func Floor(ctx context.Context, cell plan.Cell, echo requester.Factory) (*results.Floor, error) {
	return floor(ctx, cell, echo, Options{})
}

func floor(ctx context.Context, cell plan.Cell, echo requester.Factory, o Options) (*results.Floor, error) {
	cell.Settings.Warmup, cell.Settings.Duration, cell.Settings.Timeout = floorWarmup, floorWindow, floorTimeout
	noop, err := loopback.New(loopback.Config{})
	if err != nil {
		return nil, err
	}
	var f results.Floor
	for _, system := range []struct {
		name    string
		factory requester.Factory
		run     *results.FloorRun
	}{{"no-op", noop, &f.Noop}, {"TCP echo", echo, &f.Echo}} {
		cell.Target = plan.Target{Name: system.name}
		c, err := Cell(ctx, system.factory, cell, o)
		if err != nil {
			return nil, fmt.Errorf("floor of %v: %s: %w", cell.Shape, system.name, err)
		}
		if c.Interrupted {
			return nil, context.Cause(ctx)
		}
		*system.run = results.FloorRun{ReachedPerS: c.ReachedPerS, Response: c.Response}
	}
	return &f, nil
}
