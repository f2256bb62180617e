//go:build linux

package main

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
)

// pacing compares the engine with itself, waiting as it does and waiting with
// time.Sleep.
func pacing(ctx context.Context, b bench, url string) ([]row, error) {
	kernel := load.KernelWaiter(load.DefaultSpin(rate, 1))
	told, err := repeat(b.rounds,
		func() (durations, error) { return paced(ctx, b, url, kernel) },
		func() (durations, error) { return paced(ctx, b, url, load.SleepWaiter) })
	if err != nil {
		return nil, err
	}
	ours, sleep := told[0], told[1]
	what := "NATS, 1 KiB at 3,000/s on one connection, over time.Sleep: response "
	return []row{
		over(what+"p50", ours[0], sleep[0], duration, 1),
		over(what+"p99", ours[1], sleep[1], duration, 1),
	}, nil
}

// paced returns response p50 and p99 with a waiter.
func paced(ctx context.Context, b bench, url string, waiter load.NewWaiter) (durations, error) {
	f, err := open(url)
	if err != nil {
		return nil, err
	}
	took := responses{times: make(durations, 0, ops(rate, b.window))}
	outcome, err := load.Run(ctx, f, load.Config{
		Schedule: schedule.Spec{Rate: rate, Duration: b.warmup + b.window}, Warmup: b.warmup,
		Size: size, Timeout: patience, NewWaiter: waiter,
	}, &took, load.Hooks{})
	if err != nil {
		return nil, err
	}
	if missing := outcome.Window.Missing(); missing > 0 || outcome.Interrupted {
		return nil, fmt.Errorf("%d of %d ops are missing: %v", missing, outcome.Window.Due, outcome.Failures)
	}
	slices.Sort(took.times)
	return durations{took.times[len(took.times)/2], took.times[len(took.times)*99/100]}, nil
}

// responses is a load.Recorder that keeps the response times of the window.
type responses struct {
	mu    sync.Mutex
	times durations
}

// Record implements load.Recorder.
func (r *responses) Record(op load.Op) {
	if op.Warmup {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.times = append(r.times, op.Response())
}
