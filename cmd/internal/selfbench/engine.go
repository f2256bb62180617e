//go:build linux

package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester/loopback"
)

// engine measures an op of 256 B on a loopback that answers at once: the rate is
// so high that the sender is always behind and never waits. The cost of an op is
// the difference between a long and a short run, so that set-up does not count.
func engine(ctx context.Context, b bench, _ string) ([]row, error) {
	short, long := 500_000, 2_500_000
	if b.rounds == 1 {
		short, long = short/10, long/10
	}
	var times, allocs series
	for range b.rounds {
		t1, a1, err := flood(ctx, short)
		if err != nil {
			return nil, err
		}
		t2, a2, err := flood(ctx, long)
		if err != nil {
			return nil, err
		}
		times = append(times, float64(t2-t1)/float64(long-short))
		allocs = append(allocs, (a2-a1)/float64(long-short))
	}
	what := "engine and recording on a loopback, 256 B: "
	return []row{
		atMost(what+"an op", times, duration, 500),
		atMost(what+"allocations an op", allocs, thousandths, 0.001),
	}, nil
}

// flood runs n ops as fast as the engine can.
func flood(ctx context.Context, n int) (took time.Duration, mallocs float64, err error) {
	f, err := loopback.New(loopback.Config{})
	if err != nil {
		return 0, 0, err
	}
	const rate = 100_000_000
	cell := plan.Cell{
		Shape:    plan.Shape{Rate: rate, Size: 256, Connections: 1},
		Settings: plan.Settings{Duration: time.Duration(n) * time.Second / rate, Timeout: time.Minute},
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c, err := measure.Cell(ctx, f, cell, measure.Options{})
	runtime.ReadMemStats(&after)
	if err != nil {
		return 0, 0, err
	}
	if c.Ledger.Done != int64(n) {
		return 0, 0, fmt.Errorf("engine: %+v, want %d done", c.Ledger, n)
	}
	last, _ := c.Response.At(100) // the last op is due at the end and done when all are
	v, _ := last.Value()
	return v + cell.Settings.Duration, float64(after.Mallocs - before.Mallocs), nil
}
