//go:build linux

package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/loopback"
)

// floodLoopback floods a loopback.
func floodLoopback(ctx context.Context, b bench, _ string) ([]float64, error) {
	f, err := loopback.New(loopback.Config{})
	if err != nil {
		return nil, err
	}
	return flood(ctx, b, f)
}

// floodAcks floods a system that acknowledges each message in the call, too.
func floodAcks(ctx context.Context, b bench, _ string) ([]float64, error) {
	return flood(ctx, b, promisers{})
}

// promisers are connections that answer and acknowledge in the call.
type promisers struct{}

// New implements requester.Factory.
func (promisers) New(_ int, reply requester.Reply) (requester.Requester, error) {
	return &promiser{reply: reply}, nil
}

type promiser struct {
	reply requester.Reply
	ack   func(payload []byte)
}

func (p *promiser) NotifyAck(ack func([]byte))     { p.ack = ack }
func (p *promiser) Setup(context.Context) error    { return nil }
func (p *promiser) Teardown(context.Context) error { return nil }

func (p *promiser) Request(_ context.Context, payload []byte) error {
	p.ack(payload)
	p.reply(payload)
	return nil
}

// flood returns the time and the allocations of an op of 256 B on a system that
// answers at once: the rate is so high that the sender is always behind and never
// waits. Both are the difference between a long and a short run, so that set-up
// does not count.
func flood(ctx context.Context, b bench, f requester.Factory) ([]float64, error) {
	short, long := 500_000, 2_500_000
	if b.short {
		short, long = short/10, long/10
	}
	t1, a1, err := echo(ctx, f, short)
	if err != nil {
		return nil, err
	}
	t2, a2, err := echo(ctx, f, long)
	n := float64(long - short)
	return []float64{float64(t2-t1) / n, (a2 - a1) / n}, err
}

// echo runs n ops as fast as the engine can.
func echo(ctx context.Context, f requester.Factory, n int) (took time.Duration, mallocs float64, err error) {
	const rate = 100_000_000
	cell := plan.Cell{
		Shape:    plan.Shape{Rate: rate, Size: 256, Connections: 1},
		Settings: plan.Settings{Duration: time.Duration(n) * time.Second / rate, Timeout: time.Minute},
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c, err := measure.Cell(ctx, f, cell, measure.Options{})
	runtime.ReadMemStats(&after)
	if err != nil {
		return 0, 0, err
	}
	if c.Ledger.Done != int64(n) {
		return 0, 0, fmt.Errorf("ledger %+v, want %d done", c.Ledger, n)
	}
	// The last op is due at the end of the schedule and done when all are.
	return time.Duration(c.Response.MaxNS) + cell.Settings.Duration, float64(after.Mallocs - before.Mallocs), nil
}
