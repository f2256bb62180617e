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
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/internal/report/host"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// A bench measures with the brokerbench program.
type bench struct {
	program        string
	window, warmup time.Duration
	at             time.Duration // within the window, when a broker is broken
	onlyLosses     bool          // and syncs: no latencies
	cuts           int           // how often the power of each broker is cut
	atOnce         int           // how many of these cuts at the same time
	journal        string        // the file that has those which are over
}

// all measures every level, and breaks brokers at every level, the highest first. It saves the tables
// after each.
func (b bench) all(ctx context.Context, save func(section, text string) error) error {
	dir, err := os.MkdirTemp("", "brokerbench-promises-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	begun, load := time.Now(), machine.ReadSystem("/").Load
	var latencies, lost rows
	saveAll := func(forced string) error {
		where := host.Where(begun, time.Since(begun), machine.Environment(), load).Markdown()
		err := save("durability DURABILITY=-losses", where+"\n"+lossTable(lost))
		if b.onlyLosses {
			return err
		}
		return errors.Join(err, save("durability", where+"\n"+latencyTable(latencies)+"\n"+forced))
	}
	for _, level := range slices.Backward(requester.Durabilities()) {
		nodes := 1
		if level == requester.Node {
			nodes = 3
		}
		if err := errors.Join(b.level(ctx, dir, level, nodes, &latencies, &lost), saveAll("")); err != nil {
			return err
		}
	}
	if b.onlyLosses {
		return nil
	}
	forced, err := b.forced(ctx, dir)
	if err != nil {
		return err
	}
	return saveAll(forced)
}

// level measures all brokers at a level, and breaks each.
func (b bench) level(ctx context.Context, dir string, level requester.Durability, nodes int, latencies, lost *rows) error {
	syncs, err := b.measure(ctx, dir, level, nodes, latencies)
	if err != nil {
		return err
	}
	found := make([][]string, len(names))
	var all sync.WaitGroup
	for i, name := range names { // at once: losses are no latencies
		all.Go(func() {
			for _, l := range losses {
				text := "–"
				if o, ok := b.lose(ctx, name, level, nodes, l, ""); ok {
					text = o.String()
				}
				found[i] = append(found[i], text)
			}
		})
	}
	all.Wait()
	for i, name := range names {
		*lost = append(*lost, append([]string{string(level), strconv.Itoa(nodes), name, syncs[i]}, found[i]...))
	}
	return ctx.Err()
}

// measure adds a row of latencies for each broker, and returns how many syncs a thousand messages take.
func (b bench) measure(ctx context.Context, dir string, level requester.Durability, nodes int, latencies *rows) (syncs []string, err error) {
	s, err := up(ctx, dir+"/"+string(level), serverLevel(level), nodes)
	if err != nil {
		return nil, err
	}
	defer s.down()
	fmt.Fprintf(os.Stderr, "promises: %s on %d\n", level, nodes)
	if !b.onlyLosses {
		args := []string{"--durability", string(level), "--rate", "500,2000"}
		for _, name := range names {
			args = append(args, s.target(name))
		}
		cells, said, err := b.run(ctx, args...)
		if err != nil {
			return nil, err
		}
		latencies.addLatencies(level, nodes, cells, said)
	}
	for _, name := range names {
		text, err := b.syncs(ctx, s, name, level)
		if err != nil {
			return nil, err
		}
		syncs = append(syncs, text)
	}
	return syncs, nil
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
	return b.watched(ctx, func(int) {}, "run", args...)
}

// watched is run with any command of the program. It calls started with the process.
func (b bench) watched(ctx context.Context, started func(pid int), command string, args ...string) (cells []*results.Cell, said string, err error) {
	out, err := os.MkdirTemp("", "brokerbench-promises-")
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = os.RemoveAll(out) }()
	args = append([]string{
		command, "--format", "json", "--quiet", "--floor", "off", "--report", "off", "--out", out, "--percentiles", "50,99",
		"--duration", b.window.String(), "--warmup", b.warmup.String(), "--timeout", "20s",
	}, args...)
	c := exec.CommandContext(ctx, b.program, args...) //nolint:gosec // the program to measure with
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Start(); err != nil {
		return nil, "", err
	}
	started(c.Process.Pid)
	err = c.Wait()
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
	lost, _ := b.lose(ctx, "redis8", requester.Accepted, 1, losses[0], "durability=process&durability-check=false")
	return "```\n$ brokerbench run redis://… --durability process\n" + refused + "\n```\n\nWith `durability-check=false`, and kill -9: " + lost.String() + " missing.\n", nil
}
