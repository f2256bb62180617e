//go:build linux

package main

import (
	"context"
	"fmt"

	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// against compares brokerbench, all of it but the command line, with the loop
// written by hand: the same client, broker, rate, size and spin, one connection.
// Both run in this process, so that nothing but the structure differs. There are
// about twice as many rounds as of anything else, half as long: what else happens
// on a machine comes in bursts, which then spoil fewer of them.
func against(name string, byHand dial) func(context.Context, bench, string) ([]row, error) {
	return func(ctx context.Context, b bench, url string) ([]row, error) {
		b.rounds, b.warmup, b.window = 2*b.rounds+1, b.warmup/2, b.window/2
		told, err := repeat(b.rounds,
			func() (durations, error) { return oneConnection(ctx, b, url) },
			func() (durations, error) {
				l := newLoop(rate, b.warmup, b.window, load.DefaultSpin(rate, 1))
				median, err := l.run(ctx, byHand, url)
				return durations{median}, err
			})
		if err != nil {
			return nil, err
		}
		ours, theirs := told[0], told[1]
		what := name + ", 1 KiB at 3,000/s on one connection: "
		rows := []row{
			over(what+"response p50 over the loop by hand", ours[0], theirs[0], duration, 1.05),
			atMost(what+"lag p50", ours[1], duration, 1e3),
			unbounded(what+"lag p99", ours[2], duration),
		}
		if name == "NATS" { // the other clients' goroutines, and brokers, take more of the cores
			rows[2] = atMost(what+"lag p99", ours[2], duration, 200e3)
		}
		return rows, nil
	}
}

// oneConnection returns response p50, lag p50 and lag p99 of brokerbench.
func oneConnection(ctx context.Context, b bench, url string) (durations, error) {
	f, err := open(url)
	if err != nil {
		return nil, err
	}
	c, err := measure.Cell(ctx, f, plan.Cell{
		Target:   plan.Target{Name: "selfbench", URL: url},
		Shape:    plan.Shape{Rate: rate, Size: size, Connections: 1},
		Settings: plan.Settings{Warmup: b.warmup, Duration: b.window, Timeout: patience},
	}, measure.Options{})
	if err != nil {
		return nil, err
	}
	return pick(c, at{&c.Response, 50}, at{&c.Lag, 50}, at{&c.Lag, 99})
}

// at is a percentile of a distribution.
type at struct {
	of         *results.Distribution
	percentile float64
}

// pick returns percentiles of a cell in which nothing may be missing.
func pick(c *results.Cell, wanted ...at) (durations, error) {
	if c.Ledger.Missing() > 0 || c.Interrupted {
		return nil, fmt.Errorf("%d of %d ops are missing: %v", c.Ledger.Missing(), c.Ledger.Due, c.Failures)
	}
	values := make(durations, len(wanted))
	for i, w := range wanted {
		listed, ok := w.of.At(w.percentile)
		value, known := listed.Value()
		if !ok || !known {
			return nil, fmt.Errorf("p%v is not known", w.percentile)
		}
		values[i] = value
	}
	return values, nil
}
