//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// A bench measures with the brokerbench program.
type bench struct {
	program        string
	window, warmup time.Duration
	at             time.Duration // from the start of the program until a broker is killed
}

// all measures every level, and kills brokers at every level. It saves the tables after
// each.
func (b bench) all(ctx context.Context, save func(text string) error) error {
	dir, err := os.MkdirTemp("", "brokerbench-promises-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	begun, load := time.Now(), machine.ReadSystem("/").Load
	var latencies, crashes rows
	var forced string
	tables := func() string {
		where := report.Where(begun, time.Since(begun), machine.Environment(), load).Markdown()
		return strings.Join([]string{where, latencyTable(latencies), crashTable(crashes), forced}, "\n")
	}
	for _, level := range requester.Durabilities() {
		nodes := 1
		if level == requester.Node {
			nodes = 3
		}
		if err := errors.Join(b.level(ctx, dir, level, nodes, &latencies, &crashes), save(tables())); err != nil {
			return err
		}
	}
	if forced, err = b.forced(ctx, dir); err != nil {
		return err
	}
	return save(tables())
}

// level measures all brokers at a level, and kills each.
func (b bench) level(ctx context.Context, dir string, level requester.Durability, nodes int, latencies, crashes *rows) error {
	s, err := up(ctx, dir+"/"+string(level), serverLevel(level), nodes)
	if err != nil {
		return err
	}
	defer s.down()
	fmt.Fprintf(os.Stderr, "promises: %s on %d\n", level, nodes)
	args := []string{"--durability", string(level), "--rate", "500,2000"}
	for _, name := range names {
		args = append(args, s.target(name))
	}
	cells, said, err := b.run(ctx, args...)
	if err != nil {
		return err
	}
	latencies.addLatencies(level, nodes, cells, said)
	for _, name := range names {
		fmt.Fprintf(os.Stderr, "promises: kill -9 of %s, %s on %d\n", name, level, nodes)
		cell, said, err := b.crash(ctx, s, name, nil, "--durability", string(level))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			said = err.Error() // the others are still measured
		}
		crashes.addCrash(level, nodes, name, cell, said)
	}
	return nil
}

// serverLevel returns the level for which the servers are configured. With three nodes each
// one writes to its file.
func serverLevel(level requester.Durability) string {
	if level == requester.Node {
		return string(requester.Process)
	}
	return string(level)
}

// run measures, and returns the cells and the messages on standard error.
func (b bench) run(ctx context.Context, args ...string) (cells []*results.Cell, said string, err error) {
	out, err := os.MkdirTemp("", "brokerbench-promises-")
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = os.RemoveAll(out) }()
	args = append([]string{
		"run", "--format", "json", "--quiet", "--floor", "off", "--report", "off", "--out", out, "--percentiles", "50,99",
		"--duration", b.window.String(), "--warmup", b.warmup.String(), "--timeout", "20s",
	}, args...)
	c := exec.CommandContext(ctx, b.program, args...) //nolint:gosec // the program to measure with
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err = c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, "", err
	}
	said = strings.TrimSpace(stderr.String())
	if stdout.Len() == 0 {
		return nil, said, nil // nothing was measured: said has the reason
	}
	var document struct{ Cells []*results.Cell }
	err = json.Unmarshal(stdout.Bytes(), &document)
	return document.Cells, said, err
}

// crash measures one broker at 500/s, kills its first node and starts it again a second
// later. The cell is nil if nothing was measured.
func (b bench) crash(ctx context.Context, s *servers, name string, options []string, args ...string) (*results.Cell, string, error) {
	killed := make(chan error, 1)
	go func() {
		time.Sleep(b.at)
		_, err := s.run(ctx, "kill", name, "1")
		if err == nil {
			time.Sleep(time.Second)
			_, err = s.run(ctx, "start", name, "1")
		}
		killed <- err
	}()
	cells, said, err := b.run(ctx, append(args, "--rate", "500", s.target(name, options...))...)
	if err := errors.Join(err, <-killed); err != nil {
		return nil, said, err
	}
	if len(cells) == 0 {
		return nil, said, nil
	}
	return cells[0], said, nil
}

// forced asks for a level that a broker does not back: first brokerbench refuses it, then
// it is forced and messages are lost.
func (b bench) forced(ctx context.Context, dir string) (string, error) {
	s, err := up(ctx, dir+"/forced", string(requester.Accepted), 1)
	if err != nil {
		return "", err
	}
	defer s.down()
	_, refused, err := b.run(ctx, "--durability", "process", "--rate", "500", s.target("redis8"))
	if err != nil {
		return "", err
	}
	cell, said, err := b.crash(ctx, s, "redis8", []string{"durability-check=false"}, "--durability", "process")
	if err != nil {
		return "", err
	}
	return forcedText(refused, cell, said), nil
}
