//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// coordinated compares a cell that one agent measures with the same cell of a process
// alone: what it adds to the process that sends that another one coordinates it.
func coordinated() part {
	const what = "NATS, 1 KiB at 3,000/s on one connection, by one agent over a process alone: "
	return part{
		what: "NATS, by one agent over a process alone", broker: "nats", halved: true,
		run: sending("--agents", "local:1"), other: sending(),
		figures: []figure{
			{what: what + "response p50", write: duration, atMost: 1.02},
			{what: what + "response p99", write: duration, atMost: 1.02},
			{what: what + "CPU of an op, of the process that sends", write: duration, atMost: 1.01},
		},
	}
}

// sending returns a run that measures response p50 and p99, and the CPU time that the
// process which sends took for a message of the window.
func sending(flags ...string) run {
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
		return 0, errors.New("the process that sends was not observed")
	}
	return usage.Process.CPUCores * float64(time.Second) / c.ReachedPerS, nil
}

var (
	wallOfMerge = regexp.MustCompile(`\s([0-9.]+) ns/op`)
	cpuOfMerge  = regexp.MustCompile(`\s([0-9.]+) cpu-ns/op`)
)

// merging measures how long it takes to add up what many agents measured, in a benchmark of
// package measure. Everybody waits for it.
func merging() part {
	const what = "adding up 100 agents of a minute with 4 series each"
	return part{
		what: what,
		run: func(ctx context.Context, _ bench, _ string) ([]float64, error) {
			c := exec.CommandContext(ctx, "go", "test", "./measure", "-run", "^$", "-bench", "^BenchmarkTogether$", "-benchtime", "1x", "-count", "1")
			text, err := c.CombinedOutput()
			if err != nil {
				return nil, fmt.Errorf("go test: %w: %s", err, bytes.TrimSpace(text))
			}
			return numbers(text, wallOfMerge, cpuOfMerge)
		},
		figures: []figure{
			{what: what, write: duration, atMost: 1e9},
			{what: what + ": CPU", write: duration},
		},
	}
}

// numbers returns what expressions find in a text, each a number.
func numbers(text []byte, wanted ...*regexp.Regexp) (values []float64, err error) {
	for _, w := range wanted {
		found := w.FindSubmatch(text)
		if found == nil {
			return nil, fmt.Errorf("no %s in: %s", w, bytes.TrimSpace(text))
		}
		v, err := strconv.ParseFloat(string(found[1]), 64)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", found[1], err)
		}
		values = append(values, v)
	}
	return values, nil
}
