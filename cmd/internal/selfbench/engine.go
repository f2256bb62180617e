//go:build linux

package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/requester/loopback"
	"github.com/brokerbench/brokerbench/requester/measure"
	"github.com/brokerbench/brokerbench/requester/plan"
)

// engine measures an op of 256 B on a loopback that answers at once: the rate is
// so high that the sender is always behind and never waits. The cost of an op is
// the difference between a long and a short run, so that set-up does not count.
func engine(string, string) ([]row, error) {
	const short, long, rounds = 500_000, 2_500_000, 5
	var times, allocs []float64
	for range rounds {
		t1, a1, err := flood(short)
		if err != nil {
			return nil, err
		}
		t2, a2, err := flood(long)
		if err != nil {
			return nil, err
		}
		times = append(times, float64(t2-t1)/(long-short))
		allocs = append(allocs, (a2-a1)/(long-short))
	}
	ns, n := median(times), median(allocs)
	return []row{
		{"engine + recording on a loopback, 256 B", fmt.Sprintf("%.0f ns/op", ns), "≤ 500 ns/op", ns <= 500},
		{"", fmt.Sprintf("%.4f allocations/op", n), "0 allocations/op", n < 0.001},
	}, nil
}

// flood runs n ops as fast as the engine can.
func flood(n int) (took time.Duration, mallocs float64, err error) {
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
	c, err := measure.Cell(context.Background(), f, cell, measure.Options{})
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

// median returns the middle of an odd number of values.
func median[T int | float64 | time.Duration](values []T) T {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return sorted[len(sorted)/2]
}
