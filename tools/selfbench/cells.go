//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// coordinated compares a cell that one agent measures with the same cell of a process
// alone: the cost of coordination for the process that sends.
func coordinated() part {
	return part{
		what: "NATS, 1 KiB at 3,000/s on one connection, by one agent over a process alone", broker: "nats", halved: true,
		run: sending("--agents", "local:1"), other: sending(),
		figures: []figure{
			{what: "response p50", write: duration, atMost: 1.02},
			{what: "response p99", write: duration, atMost: 1.02},
			{what: "CPU of an op, of the process that sends", write: duration, atMost: 1.01},
		},
	}
}

// sending returns a run that measures response p50 and p99, and the CPU time of a message in
// the process that sends.
func sending(flags ...string) round {
	return func(ctx context.Context, b bench, url string) ([]float64, error) {
		p, err := b.brokerbench(ctx, url, plan.Shape{Rate: rate, Size: size, Connections: 1}, b.warmup, b.window, flags...)
		if err != nil {
			return nil, err
		}
		values, err := pick(p.cell, at{&p.cell.Response, 50}, at{&p.cell.Response, 99})
		if err != nil {
			return nil, err
		}
		cpu, err := cpuOfSender(p.cell)
		return append(values, cpu), err
	}
}

// cpuOfSender returns the CPU time of a message, in nanoseconds: of the agent, if one
// measured.
func cpuOfSender(c *results.Cell) (float64, error) {
	usage := c.Usage
	if len(c.Agents) > 0 {
		usage = c.Agents[0].Usage
	}
	if usage == nil || c.ReachedPerS == 0 {
		return 0, errors.New("the sending process was not observed")
	}
	return usage.Process.CPUCores * float64(time.Second) / c.ReachedPerS, nil
}

// soaks are the parts of `make soak`: each measures one long cell, and the memory of
// brokerbench.
func soaks(window time.Duration) []part {
	return []part{
		soak("NATS", "", window, 1.05),
		// Messages without a reply are kept, 32 B each, up to 8 MiB: the reply may be late.
		soak("loopback", "loopback:?delay=1ms&drop=0.01", window, 0),
	}
}

// soak measures 20,000/s over 25 connections, of NATS or of another target.
func soak(name, url string, window time.Duration, growth float64) part {
	what := fmt.Sprintf("%s, 1 KiB at 20,000/s over 25 connections for %v", name, window)
	broker := strings.ToLower(name)
	if url != "" {
		what, broker = fmt.Sprintf("%s (%s)", what, url), ""
	}
	return part{
		what: what, broker: broker, once: true,
		run: func(ctx context.Context, b bench, found string) ([]float64, error) {
			if url != "" {
				found = url
			}
			p, err := b.brokerbench(ctx, found, plan.Shape{Rate: 20_000, Size: size, Connections: 25}, b.warmup, window, "--report", "off") // the page is made afterwards
			if err != nil {
				return nil, err
			}
			second, last := p.minutes()
			return []float64{last / second, p.resident, float64(p.cell.Ledger.Done)}, nil
		},
		figures: []figure{
			{what: "resident in the last minute over the second", write: ratio, atMost: growth},
			{what: "resident", write: megabytes, atMost: 100e6},
			{what: "messages done", write: count},
		},
	}
}

// minutes returns the medians of the second minute and of the last; of the second
// and the last third, where a run is shorter than three minutes.
func (m memory) minutes() (second, last float64) {
	n := len(m.seconds)
	minute := min(60, n/3)
	if minute == 0 {
		return 0, 0
	}
	return median(m.seconds[minute : 2*minute]), median(m.seconds[n-minute:])
}
