//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A process is a cell that brokerbench measured in a process of its own.
type process struct {
	*results.Cell
	resident float64 // bytes, at most
	cpu      float64 // seconds, of the whole process
}

// costPerMillion returns the CPU seconds that a million ops take, warm-up
// included, and with it the start of the process.
func (c process) costPerMillion() float64 {
	return c.cpu * 1e6 / float64(c.Ledger.Done+c.WarmupLedger.Done)
}

// invalid is the exit code of a cell whose latencies are not to be believed; what
// it cost is.
const invalid = 4

// brokerbench runs the program on a cell.
func (b bench) brokerbench(ctx context.Context, url string, shape plan.Shape, warmup, window time.Duration) (process, error) {
	out, err := os.MkdirTemp("", "selfbench")
	if err != nil {
		return process{}, err
	}
	defer func() { _ = os.RemoveAll(out) }()
	c := exec.CommandContext(ctx, b.program, "run", url, "--quiet", "--floor", "off", "--output", "json", "--out", out, //nolint:gosec // the program to measure
		"--rate", strconv.Itoa(shape.Rate), "--size", strconv.Itoa(shape.Size), "--connections", strconv.Itoa(shape.Connections),
		"--warmup", warmup.String(), "--duration", window.String())
	var text bytes.Buffer
	c.Stdout, c.Stderr = &text, os.Stderr
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = patience
	if err := c.Start(); err != nil {
		return process{}, err
	}
	stop := watchResident(c.Process.Pid)
	err = c.Wait()
	measured := process{resident: stop()}
	if err != nil && c.ProcessState.ExitCode() != invalid {
		return process{}, fmt.Errorf("%s: %w", strings.Join(c.Args, " "), err)
	}
	measured.cpu = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
	measured.Cell, err = onlyCell(text.Bytes())
	return measured, err
}

func onlyCell(text []byte) (*results.Cell, error) {
	var document struct{ Cells []*results.Cell }
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	if len(document.Cells) != 1 {
		return nil, fmt.Errorf("%d cells, want one", len(document.Cells))
	}
	return document.Cells[0], nil
}

// watchResident asks a process again and again how much memory it has had at
// most; stop returns the last answer. What wait4 tells afterwards is of no use:
// its ru_maxrss begins with what the parent had when it made the process.
func watchResident(pid int) (stop func() float64) {
	const period = 20 * time.Millisecond
	end, last := make(chan struct{}), make(chan float64)
	go func() {
		var most float64
		for {
			text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // gone, at the end
			most = max(most, highWater(text))
			select {
			case <-end:
				last <- most
				return
			case <-time.After(period):
			}
		}
	}()
	return func() float64 { close(end); return <-last }
}

// highWater returns the bytes in the line "VmHWM: n kB" of a process's status, or
// 0.
func highWater(status []byte) float64 {
	_, rest, _ := bytes.Cut(status, []byte("\nVmHWM:"))
	word, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
	n, _ := strconv.ParseInt(string(word), 10, 64) // a process that has ended has none
	return float64(n << 10)
}
