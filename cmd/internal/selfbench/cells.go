//go:build linux

package main

import (
	"context"
	"time"

	"github.com/brokerbench/brokerbench/plan"
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

// memory measures what 1,000 more connections to NATS take.
func memory(ctx context.Context, b bench, url string) ([]row, error) {
	_, each, err := b.growth(ctx, url, 1000, 3000)
	if err != nil {
		return nil, err
	}
	return []row{unbounded("NATS: resident memory for 1,000 connections more (3,000 less 1,000, by 2)", each, megabytes)}, nil
}

// many measures the memory of 10,000 loopback connections, and of 1,000.
func many(ctx context.Context, b bench, _ string) ([]row, error) {
	all, each, err := b.growth(ctx, "loopback:", 1000, 10_000)
	if err != nil {
		return nil, err
	}
	return []row{
		atMost("10,000 loopback connections: resident", all, megabytes, 200e6),
		unbounded("loopback: resident memory for 1,000 connections more (10,000 less 1,000, by 9)", each, megabytes),
	}, nil
}

// growth returns the memory that more connections take, and what 1,000 of the
// difference to few do.
func (b bench) growth(ctx context.Context, url string, few, more int) (all, each series, err error) {
	for range b.rounds {
		least, err := b.resident(ctx, url, few)
		if err != nil {
			return nil, nil, err
		}
		most, err := b.resident(ctx, url, more)
		if err != nil {
			return nil, nil, err
		}
		all, each = append(all, most), append(each, (most-least)*1000/float64(more-few))
	}
	return all, each, nil
}

// resident returns the memory that so many connections take at 10,000/s.
func (b bench) resident(ctx context.Context, url string, connections int) (float64, error) {
	window := max(b.window/2, 100*time.Millisecond)
	c, err := b.brokerbench(ctx, url, plan.Shape{Rate: 10_000, Size: size, Connections: connections}, b.warmup, window)
	return c.resident, err
}
