//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

// syncs counts by strace how often the nodes of a broker call fsync, fdatasync and msync for a thousand
// messages at 200/s.
func (b bench) syncs(ctx context.Context, s *servers, name string, level requester.Durability) (string, error) {
	out, err := s.run(ctx, "pid", name)
	if err != nil {
		return "", err
	}
	file := filepath.Join(s.state, name+".strace")
	args := []string{"-f", "-qq", "-e", "trace=fsync,fdatasync,msync", "-o", file}
	for _, pid := range strings.Fields(out) {
		args = append(args, "-p", pid)
	}
	trace := exec.CommandContext(ctx, "strace", args...) //nolint:gosec // processes that we started
	trace.Cancel = func() error { return trace.Process.Signal(syscall.SIGINT) }
	if err := trace.Start(); err != nil {
		return "", err
	}
	defer func() { _ = trace.Wait() }()
	defer func() { _ = trace.Process.Signal(syscall.SIGINT) }()
	before, err := traced(file, 2*time.Second)
	if err != nil {
		return "", err
	}
	cells, said, err := b.run(ctx, "--durability", string(level), "--rate", "200", s.target(name))
	if err != nil || len(cells) == 0 {
		return "not measured: " + said, err
	}
	calls, err := traced(file, 0)
	done := cells[0].Ledger.Done + cells[0].WarmupLedger.Done
	if err != nil || done == 0 {
		return "not measured: nothing was done", err
	}
	return fmt.Sprint(int64(calls-before) * 1000 / done), nil
}

// traced counts the calls in a trace, after a time in which strace attaches itself.
func traced(file string, after time.Duration) (int, error) {
	time.Sleep(after)
	text, err := os.ReadFile(file)
	return strings.Count(string(text), "sync("), err
}
