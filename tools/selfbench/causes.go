//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/brokerbench/brokerbench/internal/causes/sample"
	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	leaf "github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/measure"
)

// caused compares cells with and without the sampler of causes.
func caused(rate, connections int) part {
	round := func(causes func() measure.Causes) round {
		return func(ctx context.Context, b bench, url string) ([]float64, error) {
			c, err := sampled(ctx, cellAt(b, url, rate, connections), nil, causes())
			if err != nil {
				return nil, err
			}
			values, err := pick(c, at{&c.Response, 50}, at{&c.Response, 99})
			if c.Usage != nil {
				values = append(values, c.Usage.Process.CPUCores)
			}
			return values, err
		}
	}
	return part{
		what:   fmt.Sprintf("NATS, 1 KiB at %d/s over %d connections, with the sampler of causes over without", rate, connections),
		broker: "nats", halved: true,
		run: round(func() measure.Causes { return sample.New(nil) }), other: round(func() measure.Causes { return nil }),
		figures: []figure{{what: "response p50", write: duration, atMost: 1.02}, {what: "response p99", write: duration, atMost: 1.02}, {what: "cores of this process", write: thousandths}},
	}
}

// copies are nodes that each have the processes of this program.
type copies int

func (n copies) Families(func()) (list []leaf.Node) {
	for i := range n {
		list = append(list, leaf.Node{Name: fmt.Sprint(i + 1), IDs: []leaf.ID{{PID: os.Getpid()}}})
	}
	return list
}

// samplers measures the CPU time that the sampler of causes adds to the meter whose ticks it uses, while nothing else runs
// in this process.
func samplers() part {
	cores := func(b bench, tick func()) float64 {
		before := cpuSoFar()
		stop := machine.ObserveHiccups(func(time.Duration) { tick() })
		time.Sleep(b.window)
		stop()
		return (cpuSoFar() - before).Seconds() / b.window.Seconds()
	}
	added := func(nodes sample.Nodes, b bench) float64 {
		without := cores(b, func() {})
		s := sample.New(nodes)
		s.Prepare(b.window)
		s.Begin(time.Now())
		defer s.End(new(cause.Samples))
		return cores(b, s.Tick) - without
	}
	return part{
		what: "the sampler of causes over the meter of hiccups alone",
		run: func(_ context.Context, b bench, _ string) ([]float64, error) {
			return []float64{added(nil, b), added(copies(3), b)}, nil
		},
		figures: []figure{
			{what: "cores, without nodes", write: thousandths, atMost: 0.01},
			{what: "cores, with three nodes", write: thousandths, atMost: 0.01},
		},
	}
}
