//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// measured is a cell that brokerbench measured in a process of its own.
type measured struct {
	*results.Cell
	resident int64 // bytes, at most
}

// percentile returns a value of a distribution that must be known.
func percentile(d results.Distribution, p float64) time.Duration {
	row, _ := d.At(p)
	v, _ := row.Value()
	return v
}

// brokerbench runs the program on one cell.
func brokerbench(program string, args ...string) (measured, error) {
	out, err := os.MkdirTemp("", "selfbench")
	if err != nil {
		return measured{}, err
	}
	defer func() { _ = os.RemoveAll(out) }()
	c := exec.Command(program, append([]string{"run", "--quiet", "-o", "json", "--out", out}, args...)...) //nolint:gosec,noctx // the program to measure
	c.Stderr = os.Stderr
	text, err := c.Output()
	if err != nil {
		return measured{}, fmt.Errorf("%s %v: %w", program, args, err)
	}
	var document struct{ Cells []*results.Cell }
	if err := json.Unmarshal(text, &document); err != nil || len(document.Cells) != 1 {
		return measured{}, fmt.Errorf("%s %v: %d cells, %w", program, args, len(document.Cells), err)
	}
	usage, _ := c.ProcessState.SysUsage().(*syscall.Rusage)
	return measured{document.Cells[0], usage.Maxrss << 10}, nil // Linux counts in KiB
}

// fast measures 20,000/s over 25 connections with the broker on the same cores.
func fast(program, url string) ([]row, error) {
	const rounds = 5
	var reached []float64
	var p50, p99 []time.Duration
	var resident []int
	for range rounds {
		c, err := brokerbench(program, url, "--rate", "20000", "--connections", "25", "--size", "1KiB", "--duration", "5s", "--warmup", "2s")
		if err != nil {
			return nil, err
		}
		reached = append(reached, c.ReachedPerS)
		p50, p99 = append(p50, percentile(c.Response, 50)), append(p99, percentile(c.Response, 99))
		resident = append(resident, int(c.resident>>20))
	}
	what := "NATS, 1 KiB at 20,000/s over 25 connections"
	return []row{
		{what + ": reached", fmt.Sprintf("%.0f/s", median(reached)), "20,000/s", median(reached) > 19_900},
		{what + ": response p50", fmt.Sprint(median(p50)), "≤ 300µs", median(p50) <= 300*time.Microsecond},
		{what + ": response p99", fmt.Sprintf("%v (all: %v)", median(p99), p99), "≤ 5ms", median(p99) <= 5*time.Millisecond},
		{what + ": resident", fmt.Sprintf("%d MiB", median(resident)), "≤ 100 MB", median(resident) <= 95},
	}, nil
}

// many measures the memory of 10,000 connections.
func many(program, _ string) ([]row, error) {
	c, err := brokerbench(program, "loopback:", "--rate", "10000", "--connections", "10000", "--size", "1KiB", "--duration", "3s", "--warmup", "1s")
	if err != nil {
		return nil, err
	}
	mib := c.resident >> 20
	return []row{{"10,000 loopback connections: resident", fmt.Sprintf("%d MiB", mib), "≤ 200 MB", mib <= 190}}, nil
}
