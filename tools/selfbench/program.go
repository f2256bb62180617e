//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/procfs"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// manyMessages measures 20,000/s over 25 connections with the broker on the same
// cores: reached, response p50 and p99, resident memory, and CPU seconds for a
// million messages, warm-up included, and with it the start of the process.
func manyMessages(ctx context.Context, b bench, url string) ([]float64, error) {
	p, err := b.brokerbench(ctx, url, plan.Shape{Rate: 20_000, Size: size, Connections: 25}, 2*b.warmup, b.window)
	if err != nil {
		return nil, err
	}
	response, err := pick(p.cell, at{&p.cell.Response, 50}, at{&p.cell.Response, 99})
	if err != nil {
		return nil, err
	}
	cpu := p.cpu * 1e6 / float64(p.cell.Ledger.Done+p.cell.WarmupLedger.Done)
	return []float64{p.cell.ReachedPerS, response[0], response[1], p.resident, cpu}, nil
}

// cpuOf returns the last value of a run alone.
func cpuOf(r round) round {
	return func(ctx context.Context, b bench, url string) ([]float64, error) {
		values, err := r(ctx, b, url)
		return values[max(len(values)-1, 0):], err
	}
}

// manyConnections returns a run that measures connections at 10,000/s: the memory
// that 1,000 more of them take, and that of the most.
func manyConnections(few, most int) round {
	return func(ctx context.Context, b bench, url string) ([]float64, error) {
		var resident [2]float64
		for i, n := range []int{few, most} {
			shape := plan.Shape{Rate: 10_000, Size: size, Connections: n}
			p, err := b.brokerbench(ctx, url, shape, b.warmup, max(b.window/2, 100*time.Millisecond))
			if err != nil {
				return nil, err
			}
			resident[i] = p.resident
		}
		return []float64{(resident[1] - resident[0]) * 1000 / float64(most-few), resident[1]}, nil
	}
}

// A process is the brokerbench program, which measured one cell.
type process struct {
	cell *results.Cell
	memory
	cpu float64 // seconds, of the whole process
}

// memory is the memory of a process in bytes.
type memory struct {
	resident float64   // the peak
	seconds  []float64 // at the end of each second
}

// invalid is the exit code of a cell whose latencies cannot be used, unlike its CPU and
// memory.
const invalid = 4

// brokerbench runs the program on a cell, with more flags.
func (b bench) brokerbench(ctx context.Context, url string, shape plan.Shape, warmup, window time.Duration, flags ...string) (process, error) {
	out, err := os.MkdirTemp("", "selfbench")
	if err != nil {
		return process{}, err
	}
	defer func() { _ = os.RemoveAll(out) }()
	c := exec.CommandContext(ctx, b.program, "run", url, "--quiet", "--floor", "off", "--format", "json", "--out", out, //nolint:gosec // the program to measure
		"--rate", shape.Rate.Column(), "--size", shape.SizeText(), "--connections", strconv.Itoa(shape.Connections),
		"--warmup", warmup.String(), "--duration", window.String())
	c.Args = append(c.Args, flags...)
	var text bytes.Buffer
	c.Stdout, c.Stderr = &text, os.Stderr
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = patience
	if err := c.Start(); err != nil {
		return process{}, err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	used, err := observe(c.Process.Pid, ended)
	if err != nil && c.ProcessState.ExitCode() != invalid {
		return process{}, fmt.Errorf("%s: %w", strings.Join(c.Args, " "), err)
	}
	var document struct{ Cells []*results.Cell }
	if err := json.Unmarshal(text.Bytes(), &document); err != nil {
		return process{}, err
	}
	if len(document.Cells) != 1 {
		return process{}, fmt.Errorf("%d cells, want one", len(document.Cells))
	}
	cpu := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	return process{document.Cells[0], used, cpu.Seconds()}, nil
}

// watching returns a run of a canary at 10/s: the cores that it takes, from the fifth part of the window on, and its peak memory.
func watching(ctx context.Context, b bench, url string) ([]float64, error) {
	out, err := os.MkdirTemp("", "selfbench")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(out) }()
	c := exec.CommandContext(ctx, b.program, "canary", url, "--rate", "10/s", "--size", "1KiB", "--out", filepath.Join(out, "canary")) //nolint:gosec // the program to measure
	c.Stderr, c.WaitDelay = os.Stderr, patience
	if err := c.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	var before float64 // its CPU time after the start
	settle := time.AfterFunc(b.window/5, func() { before = cpuTime(c.Process.Pid) })
	defer settle.Stop()
	var used float64
	stop := time.AfterFunc(b.window, func() {
		used = cpuTime(c.Process.Pid) - before
		_ = c.Process.Signal(os.Interrupt)
	})
	defer stop.Stop()
	m, err := observe(c.Process.Pid, ended)
	if err != nil && c.ProcessState.ExitCode() != 0 {
		return nil, fmt.Errorf("%s: %w", strings.Join(c.Args, " "), err)
	}
	return []float64{used / (b.window * 4 / 5).Seconds(), m.resident}, nil
}

// cpuTime returns the CPU time of a process in seconds; 0 if it is gone.
func cpuTime(pid int) float64 {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return 0
	}
	stat, err := p.Stat()
	if err != nil {
		return 0
	}
	return stat.CPUTime()
}

// observe reads the memory of a process every 20 ms until it ends, and returns it with the
// error with which it ended. The ru_maxrss of wait4 is of no use: it
// begins with the parent's peak when it started the process.
func observe(pid int, ended <-chan error) (used memory, err error) {
	for start := time.Now(); ; {
		// At the end it is gone, or a zombie without memory.
		if p, err := procfs.NewProc(pid); err == nil {
			status, _ := p.NewStatus()
			used.resident = max(used.resident, float64(status.VmHWM))
			if int(time.Since(start).Seconds()) > len(used.seconds) && status.VmRSS > 0 {
				used.seconds = append(used.seconds, float64(status.VmRSS))
			}
		}
		select {
		case err := <-ended:
			return used, err
		case <-time.After(20 * time.Millisecond):
		}
	}
}
