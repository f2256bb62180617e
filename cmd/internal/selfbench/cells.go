//go:build linux

package main

import (
	"context"
	"time"

	"github.com/brokerbench/brokerbench/requester/plan"
)

// fast measures 20,000/s over 25 connections with the broker on the same cores.
func fast(ctx context.Context, b bench, url string) ([]row, error) {
	var reached, p50, p99, resident, cpu series
	for range b.rounds {
		c, err := b.brokerbench(ctx, url, plan.Shape{Rate: 20_000, Size: size, Connections: 25}, 2*b.warmup, b.window)
		if err != nil {
			return nil, err
		}
		values, err := pick(c.Cell, at{&c.Response, 50}, at{&c.Response, 99})
		if err != nil {
			return nil, err
		}
		p50, p99 = append(p50, float64(values[0])), append(p99, float64(values[1]))
		reached, resident, cpu = append(reached, c.ReachedPerS), append(resident, c.resident), append(cpu, c.costPerMillion())
	}
	what := "NATS, 1 KiB at 20,000/s over 25 connections: "
	return []row{
		atLeast(what+"reached", reached, perSecond, 19_900),
		atMost(what+"response p50", p50, duration, 300e3),
		atMost(what+"response p99", p99, duration, 5e6),
		atMost(what+"resident", resident, megabytes, 100e6),
		unbounded(what+"CPU for a million ops", cpu, seconds),
	}, nil
}

// cheap measures the CPU that the same costs without a broker's client.
func cheap(ctx context.Context, b bench, _ string) ([]row, error) {
	var cpu series
	for range b.rounds {
		c, err := b.brokerbench(ctx, "loopback:", plan.Shape{Rate: 20_000, Size: size, Connections: 25}, 2*b.warmup, b.window)
		if err != nil {
			return nil, err
		}
		cpu = append(cpu, c.costPerMillion())
	}
	return []row{unbounded("loopback, 1 KiB at 20,000/s over 25 connections: CPU for a million ops", cpu, seconds)}, nil
}

// memory measures what 1,000 more connections take.
func memory(name string) func(context.Context, bench, string) ([]row, error) {
	return func(ctx context.Context, b bench, url string) ([]row, error) {
		if url == "" {
			url = "loopback:"
		}
		var each series
		for range b.rounds {
			few, err := b.resident(ctx, url, 1000)
			if err != nil {
				return nil, err
			}
			more, err := b.resident(ctx, url, 3000)
			if err != nil {
				return nil, err
			}
			each = append(each, (more-few)/2)
		}
		return []row{unbounded(name+": resident memory for 1,000 connections more (3,000 less 1,000, by 2)", each, megabytes)}, nil
	}
}

// many measures the memory of 10,000 connections.
func many(ctx context.Context, b bench, _ string) ([]row, error) {
	var all series
	for range b.rounds {
		bytes, err := b.resident(ctx, "loopback:", 10_000)
		if err != nil {
			return nil, err
		}
		all = append(all, bytes)
	}
	return []row{atMost("10,000 loopback connections: resident", all, megabytes, 200e6)}, nil
}

// resident returns the memory that so many connections take at 10,000/s.
func (b bench) resident(ctx context.Context, url string, connections int) (float64, error) {
	window := max(b.window/2, 100*time.Millisecond)
	c, err := b.brokerbench(ctx, url, plan.Shape{Rate: 10_000, Size: size, Connections: connections}, b.warmup, window)
	return c.resident, err
}
