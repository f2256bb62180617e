//go:build linux

package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/internal/run"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
)

// flooded measures the engine on a system in memory.
func flooded(what string, run round, atMost float64) part {
	return part{what: what, run: run, figures: []figure{
		{what: "an op", write: duration, atMost: atMost},
		{what: "allocations an op", write: thousandths, atMost: 0.001},
	}}
}

// floodLoopback floods a loopback.
func floodLoopback(ctx context.Context, b bench, _ string) ([]float64, error) {
	f, err := loopback.New(loopback.Config{})
	if err != nil {
		return nil, err
	}
	return flood(ctx, b, f)
}

// floodAcks floods a system that also acknowledges each message in the call.
func floodAcks(ctx context.Context, b bench, _ string) ([]float64, error) {
	return flood(ctx, b, ackers{})
}

// ackers makes connections that answer and acknowledge in the call.
type ackers struct{}

// New implements requester.Factory.
func (ackers) New(_ int, sink requester.Sink) (requester.Requester, error) { return acker{sink}, nil }

type acker struct{ sink requester.Sink }

func (acker) Traits() requester.Traits       { return requester.Traits{Acknowledges: true} }
func (acker) Setup(context.Context) error    { return nil }
func (acker) Teardown(context.Context) error { return nil }

func (a acker) Request(_ context.Context, payload []byte) error {
	a.sink.Acked(payload)
	a.sink.Reply(payload)
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
	c, err := run.Cell(ctx, f, cell, run.Options{})
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

// steady measures the garbage of a steady cell: on a loopback that allocates nothing, with
// all the work of a normal run.
func steady() part {
	return part{
		what: "loopback, 1 KiB at 20,000/s over 25 connections, with files, observer and terminal",
		run: func(ctx context.Context, b bench, url string) ([]float64, error) {
			short, _, err := garbage(ctx, b, url)
			if err != nil {
				return nil, err
			}
			window := b.window
			b.window *= 4
			long, pause, err := garbage(ctx, b, url)
			return []float64{(long - short) / (b.window - window).Seconds(), pause}, err // without set-up and end
		},
		figures: []figure{
			{what: "garbage a second", write: megabytes, atMost: 1e6},
			{what: "longest pause of a collection", write: duration, atMost: 300e3},
		},
	}
}

// garbage returns the bytes that one cell allocated, and the longest pause of the garbage
// collector in it.
func garbage(ctx context.Context, b bench, url string) (allocated, pause float64, err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c, err := everything(ctx, cellAt(b, url, 20_000, 25), nil)
	runtime.ReadMemStats(&after)
	if err != nil || c.Usage == nil {
		return 0, 0, err
	}
	return float64(after.TotalAlloc - before.TotalAlloc), float64(c.Usage.Go.GCPauseMaxNS), nil
}
