//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/brokerbench/brokerbench/internal/causes/sample"
	"github.com/brokerbench/brokerbench/internal/live"
	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/internal/run"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// cellAt returns a cell of messages of 1 KiB with the bench's window.
func cellAt(b bench, url string, rate, connections int) plan.Cell {
	return plan.Cell{
		Target:   plan.Target{Name: "selfbench", URL: url},
		Shape:    plan.Shape{Rate: schedule.Rate(rate), Size: size, Connections: connections},
		Settings: plan.Settings{Warmup: b.warmup, Duration: b.window, Timeout: patience},
	}
}

// measured measures a cell in this process.
func measured(ctx context.Context, cell plan.Cell) (*results.Cell, error) {
	f, err := open(cell.Target.URL)
	if err != nil {
		return nil, err
	}
	return run.Cell(ctx, f, cell, run.Options{})
}

// durably measures a cell of a target that acknowledges, and audits its store, if it has
// one. Every message must be acknowledged and in the store.
func durably(ctx context.Context, cell plan.Cell) (*results.Cell, error) {
	cell.Settings.Audit = true
	c, err := measured(ctx, cell)
	switch {
	case err != nil:
		return nil, err
	case c.AckLedger == nil || c.AckLedger.Acked != c.Ledger.Due:
		return nil, fmt.Errorf("not all of %d messages were acknowledged: %+v", c.Ledger.Due, c.AckLedger)
	case c.Audit != nil && c.Audit.Error != "":
		return nil, errors.New("the audit: " + c.Audit.Error)
	case c.Audit != nil && c.Audit.Missing > 0:
		return nil, fmt.Errorf("the audit: %d messages are missing", c.Audit.Missing)
	}
	return c, nil
}

// everything measures a cell with all the work of a normal run: files, the observer, the
// block on the terminal. record may be nil.
func everything(ctx context.Context, cell plan.Cell, record load.Recorder) (*results.Cell, error) {
	return sampled(ctx, cell, record, sample.New(nil))
}

// sampled is everything with a sampler of causes; nil: without one.
func sampled(ctx context.Context, cell plan.Cell, record load.Recorder, causes measure.Causes) (*results.Cell, error) {
	f, err := open(cell.Target.URL)
	if err != nil {
		return nil, err
	}
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
	return run.Cell(ctx, f, cell, run.Options{Options: measure.Options{
		Folder: folder, Observer: machine.NewSampler(), Record: record, Causes: causes,
		Progress: func(p measure.Progress) { view.Show(position, p) }, ProgressEvery: live.Every,
	}})
}

// at is a percentile of a distribution.
type at struct {
	of         *results.Distribution
	percentile float64
}

// pick returns percentiles of a cell in which no message may be missing.
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

// spin returns the spin of a sender in a normal run.
func spin(rate int) time.Duration {
	return load.DefaultSpin(schedule.Rate(rate), 1, machine.ReadCores().Usable(1))
}

// cpuSoFar returns the CPU time of this process, user and system.
func cpuSoFar() time.Duration {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// perOp returns CPU time for each message in nanoseconds, including set-up and end.
func perOp(used time.Duration, b bench, rate int) float64 {
	return float64(used) / ((b.warmup + b.window).Seconds() * float64(rate))
}
