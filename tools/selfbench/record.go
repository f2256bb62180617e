//go:build linux

package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// earlyPart is the part of each second in which brokerbench's work would show.
const earlyPart = 25 * time.Millisecond

// A recorder is a load.Recorder that keeps the response times of the window: of messages
// due early in a second, and of the rest.
type recorder struct {
	mu          sync.Mutex
	early, rest *histogram.Histogram
}

func newRecorder() *recorder { return &recorder{early: histogram.New(), rest: histogram.New()} }

// Record implements load.Recorder.
func (r *recorder) Record(op load.Op) {
	if op.Warmup {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if op.Due%time.Second < earlyPart {
		r.early.Record(op.Response())
	} else {
		r.rest.Record(op.Response())
	}
}

// fold compares the messages that are due in the first 25 ms of each second, in which
// brokerbench takes an interval, with the rest: the difference is the cost of that.
func fold(name string, rate, connections int) part {
	return part{
		what:   fmt.Sprintf("%s, 1 KiB at %d/s over %d connections: response p99 of messages due in the first 25 ms of a second over the rest", name, rate, connections),
		broker: strings.ToLower(name), halved: true,
		run: func(ctx context.Context, b bench, url string) ([]float64, error) {
			b.window *= 4
			r := newRecorder()
			if _, err := everything(ctx, cellAt(b, url, rate, connections), r); err != nil {
				return nil, err
			}
			return []float64{float64(r.early.Quantile(99)) / float64(r.rest.Quantile(99))}, nil
		},
		figures: []figure{{write: ratio, atMost: 1.15}},
	}
}

// paced returns a run that measures response p50 and p99 with a waiter.
func paced(waiter load.NewWaiter) round {
	return func(ctx context.Context, b bench, url string) ([]float64, error) {
		f, err := open(url)
		if err != nil {
			return nil, err
		}
		r := newRecorder()
		outcome, err := load.Run(ctx, f, load.Config{
			Schedule: schedule.Spec{Rate: rate, Duration: b.warmup + b.window}, Warmup: b.warmup,
			Size: size, Timeout: patience, NewWaiter: waiter,
		}, r, load.Hooks{})
		if err == nil {
			err = r.rest.Merge(r.early)
		}
		if err != nil {
			return nil, err
		}
		c := results.Cell{Ledger: outcome.Window, Interrupted: outcome.Interrupted, Response: results.NewDistribution(r.rest, 0)}
		return pick(&c, at{&c.Response, 50}, at{&c.Response, 99})
	}
}
