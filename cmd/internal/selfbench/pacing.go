//go:build linux

package main

import (
	"context"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/machine"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// paced returns a run that measures response p50 and p99 with a waiter.
func paced(waiter load.NewWaiter) run {
	return func(ctx context.Context, b bench, url string) ([]float64, error) {
		f, err := open(url)
		if err != nil {
			return nil, err
		}
		took := responses{times: histogram.New()}
		outcome, err := load.Run(ctx, f, load.Config{
			Schedule: schedule.Spec{Rate: rate, Duration: b.warmup + b.window}, Warmup: b.warmup,
			Size: size, Timeout: patience, NewWaiter: waiter,
		}, &took, load.Hooks{})
		if err != nil {
			return nil, err
		}
		c := results.Cell{Ledger: outcome.Window, Interrupted: outcome.Interrupted, Response: results.NewDistribution(took.times, 0)}
		return pick(&c, at{&c.Response, 50}, at{&c.Response, 99})
	}
}

// responses is a load.Recorder that keeps the response times of the window.
type responses struct {
	mu    sync.Mutex
	times *histogram.Histogram
}

// Record implements load.Recorder.
func (r *responses) Record(op load.Op) {
	if op.Warmup {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.times.Record(op.Response())
}

// spin returns the spin of a sender in a normal run.
func spin(rate int) time.Duration {
	return load.DefaultSpin(schedule.Rate(rate), 1, machine.ReadCores().Usable(1))
}
