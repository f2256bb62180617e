//go:build linux

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// against compares brokerbench, all of it but the command line, with the loop
// written by hand: the same client, broker, rate, size and spin, one connection.
// Both run in this process, so that nothing but the structure differs. A maximum
// lag p99 of 0 is no bound.
func against(name string, byHand dial, maxLag float64) part {
	what := name + ", 1 KiB at 3,000/s on one connection"
	return part{
		what: what, broker: strings.ToLower(name), halved: true, run: oneConnection,
		other: func(ctx context.Context, b bench, url string) ([]float64, error) {
			took, err := newLoop(rate, 1, b.warmup, b.window, spin(rate)).run(ctx, byHand, url)
			if err != nil {
				return nil, err
			}
			return quantiles(took.responses, 50), nil
		},
		figures: []figure{
			{what: what + ": response p50 over the loop by hand", write: duration, atMost: 1.05},
			{what: what + ": lag p50", write: duration, atMost: 1e3},
			{what: what + ": lag p99", write: duration, atMost: maxLag},
		},
	}
}

// oneConnection returns response p50, lag p50 and lag p99 of brokerbench.
func oneConnection(ctx context.Context, b bench, url string) ([]float64, error) {
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
func pick(c *results.Cell, wanted ...at) ([]float64, error) {
	if c.Ledger.Missing() > 0 || c.Interrupted {
		return nil, fmt.Errorf("%d of %d messages are missing: %v", c.Ledger.Missing(), c.Ledger.Due, c.Failures)
	}
	values := make([]float64, len(wanted))
	for i, w := range wanted {
		listed, ok := w.of.At(w.percentile)
		value, known := listed.Value()
		if !ok || !known {
			return nil, fmt.Errorf("p%v is not known", w.percentile)
		}
		values[i] = float64(value)
	}
	return values, nil
}
