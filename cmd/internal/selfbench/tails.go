//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/cmd/internal/live"
	"github.com/brokerbench/brokerbench/machine"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
	"golang.org/x/sys/unix"
)

// tails compares the tail of brokerbench with that of the loop by hand, with all that
// a normal run does each second: files, the observer, the block on the terminal.
func tails(name string, byHand dial, rate, connections int) part {
	what := fmt.Sprintf("%s, 1 KiB at %d/s over %d connections, with files, observer and terminal, over the loop by hand: response ", name, rate, connections)
	return part{
		what: strings.TrimSuffix(what, ": response "), broker: strings.ToLower(name), halved: true,
		run: func(ctx context.Context, b bench, url string) ([]float64, error) {
			inner, err := open(url)
			if err != nil {
				return nil, err
			}
			before := cpuSoFar()
			c, err := everything(ctx, inner, cellAt(b, url, rate, connections), nil)
			if err != nil {
				return nil, err
			}
			used := cpuSoFar() - before
			r := &c.Response
			values, err := pick(c, at{r, 50}, at{r, 99}, at{r, 99.9}, at{r, 100})
			return append(values, perOp(used, b, rate)), err
		},
		other: func(ctx context.Context, b bench, url string) ([]float64, error) {
			before := cpuSoFar()
			took, err := newLoop(rate, connections, b.warmup, b.window, spin(rate)).run(ctx, byHand, url)
			if err != nil {
				return nil, err
			}
			used := cpuSoFar() - before
			return append(quantiles(took.responses, 50, 99, 99.9, 100), perOp(used, b, rate)), nil
		},
		figures: []figure{
			{what: what + "p50", write: duration, atMost: 1.05},
			{what: what + "p99", write: duration, atMost: 1.10},
			{what: what + "p99.9", write: duration, atMost: 1.10},
			{what: what + "max", write: duration, atMost: 1.25},
			{what: strings.TrimSuffix(what, "response ") + "CPU of an op", write: duration},
		},
	}
}

// cpuSoFar returns what this process has used, user and system.
func cpuSoFar() time.Duration {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// perOp returns how much of it, in nanoseconds, is for one message, set-up and end included.
func perOp(used time.Duration, b bench, rate int) float64 {
	return float64(used) / ((b.warmup + b.window).Seconds() * float64(rate))
}

// cellAt is the cell that everything measures.
func cellAt(b bench, url string, rate, connections int) plan.Cell {
	return plan.Cell{
		Target:   plan.Target{Name: "selfbench", URL: url},
		Shape:    plan.Shape{Rate: schedule.Rate(rate), Size: size, Connections: connections},
		Settings: plan.Settings{Warmup: b.warmup, Duration: b.window, Timeout: patience},
	}
}

// everything measures one cell with all that a normal run does besides. started may
// be nil.
func everything(ctx context.Context, f requester.Factory, cell plan.Cell, started func(time.Time)) (*results.Cell, error) {
	out, err := os.MkdirTemp("", "selfbench")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(out) }()
	store, err := results.Create(out, "selfbench", time.Now())
	if err != nil {
		return nil, err
	}
	folder, err := store.CreateCell("cell")
	if err != nil {
		return nil, err
	}
	view := live.Block{Screen: live.NewScreen(io.Discard, func() (int, int) { return 120, 40 })}
	position := live.NewPosition([]plan.Cell{cell}, 1)
	return measure.Cell(ctx, f, cell, measure.Options{
		Folder: folder, Observer: machine.NewObserver(), Started: started,
		Progress: func(p measure.Progress) { view.Show(position, p) }, ProgressEvery: live.Every,
	})
}
