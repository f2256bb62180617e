//go:build linux

package main

import (
	"context"
	"fmt"
	"strings"
)

// looped returns a run of a loop by hand; values picks its figures.
func looped(l func(b bench) *loop, byHand dial, values func(times) []float64) round {
	return func(ctx context.Context, b bench, url string) ([]float64, error) {
		loop := l(b)
		before := cpuSoFar()
		took, err := loop.run(ctx, byHand, url)
		if err != nil {
			return nil, err
		}
		took.cpu = perOp(cpuSoFar()-before, b, loop.rate)
		return values(took), nil
	}
}

// against compares brokerbench, without its command line, with the loop by hand: the same
// client, broker, rate, size and spin, one connection. Both run in this process, so that
// only the structure differs. A maximum lag p99 of 0 is no bound.
func against(name string, byHand dial, maxLag float64) part {
	return part{
		what: name + ", 1 KiB at 3,000/s on one connection", broker: strings.ToLower(name), halved: true,
		run: func(ctx context.Context, b bench, url string) ([]float64, error) {
			c, err := measured(ctx, cellAt(b, url, rate, 1))
			if err != nil {
				return nil, err
			}
			return pick(c, at{&c.Response, 50}, at{&c.Lag, 50}, at{&c.Lag, 99})
		},
		other: looped(func(b bench) *loop { return newLoop(b, rate, 1) }, byHand, func(took times) []float64 { return quantiles(took.responses, 50) }),
		figures: []figure{
			{what: "response p50 over the loop by hand", write: duration, atMost: 1.05},
			{what: "lag p50", write: duration, atMost: 1e3},
			{what: "lag p99", write: duration, atMost: maxLag},
		},
	}
}

// tails compares the tail of brokerbench with that of the loop by hand, with all the work
// that a normal run does each second.
func tails(name string, byHand dial, rate, connections int) part {
	return part{
		what:   fmt.Sprintf("%s, 1 KiB at %d/s over %d connections, with files, observer and terminal, over the loop by hand", name, rate, connections),
		broker: strings.ToLower(name), halved: true,
		run: func(ctx context.Context, b bench, url string) ([]float64, error) {
			before := cpuSoFar()
			c, err := everything(ctx, cellAt(b, url, rate, connections), nil)
			if err != nil {
				return nil, err
			}
			used := cpuSoFar() - before
			r := &c.Response
			values, err := pick(c, at{r, 50}, at{r, 99}, at{r, 99.9}, at{r, 100})
			return append(values, perOp(used, b, rate)), err
		},
		other: looped(func(b bench) *loop { return newLoop(b, rate, connections) }, byHand, func(took times) []float64 {
			return append(quantiles(took.responses, 50, 99, 99.9, 100), took.cpu)
		}),
		figures: []figure{
			{what: "response p50", write: duration, atMost: 1.05},
			{what: "response p99", write: duration, atMost: 1.10},
			{what: "response p99.9", write: duration, atMost: 1.10},
			{what: "response max", write: duration, atMost: 1.25},
			{what: "CPU of an op", write: duration},
		},
	}
}
