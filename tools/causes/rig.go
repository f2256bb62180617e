//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// A rig runs brokerbench and harms it.
type rig struct {
	dir, program string
	until        time.Time // zero: no limit
}

// A truth is what happened in a run.
type truth struct {
	Folder string // of the result
	Cells  []deed // of repeat 1, 2, …
}

// A deed is what was done in a cell.
type deed struct {
	Kind    string
	Bursts  []burst
	Problem string `json:",omitempty"` // why it was not done
}

const truthFile = "truth.json"

func readTruth(dir string) (t truth, err error) {
	text, err := os.ReadFile(filepath.Join(dir, truthFile))
	if err != nil {
		return t, err
	}
	return t, json.Unmarshal(text, &t)
}

// measure makes the runs that are not in the folder.
func (r rig) measure(ctx context.Context, all []run, only string) error {
	for _, one := range all {
		dir := filepath.Join(r.dir, one.name)
		if _, err := os.Stat(filepath.Join(dir, truthFile)); err == nil || !strings.Contains(one.name, only) {
			continue
		}
		if !r.until.IsZero() && time.Now().After(r.until) {
			return nil
		}
		fmt.Fprintln(os.Stderr, "causes:", one.name)
		if err := os.RemoveAll(dir); err != nil { // it was cut short
			return err
		}
		t, err := r.one(ctx, one, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		text, err := json.MarshalIndent(t, "", " ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, truthFile), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// one makes a run.
func (r rig) one(ctx context.Context, one run, dir string) (t truth, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return t, err
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return t, err
	}
	defer log.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c := exec.CommandContext(ctx, r.program, "run", one.target, "--rate", one.rate, "--duration", one.window.String(), "--warmup", one.warmup.String(), //nolint:gosec // the program to score
		"--repeat", strconv.Itoa(len(one.kinds)), "--seed", strconv.FormatUint(one.seed, 10), "--timeout", "10s", "--floor", "off", "--report", "off", "--quiet", "--out", dir)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		return t, err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	random := rand.New(rand.NewPCG(one.seed, 1)) //nolint:gosec // a schedule
	s := &scene{client: c.Process.Pid, dir: dir}
	for i, kind := range one.kinds {
		began, err := s.began(ctx, i+1, ended)
		if err != nil {
			stop()
			<-ended
			return t, errors.Join(err, s.close())
		}
		d := deed{Kind: kind}
		if kind != "" {
			d = s.harm(ctx, kind, began.Add(one.warmup), one.window, random)
		}
		t.Cells = append(t.Cells, d)
	}
	err = <-ended
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 && ctx.Err() == nil {
		err = nil // a verdict on the cells, which harm has: why will tell if the result cannot be read
	}
	t.Folder = filepath.Dir(filepath.Dir(filepath.Dir(s.log)))
	return t, errors.Join(err, s.close())
}

// A scene is a run under way.
type scene struct {
	client int // pid
	dir    string
	log    string // the interval log of the current cell
	node   []int  // pids of the broker
	group  map[string]cgroup
}

// began waits until the schedule of the n-th cell begins, and returns when that was.
func (s *scene) began(ctx context.Context, n int, ended chan error) (time.Time, error) {
	for {
		logs, _ := filepath.Glob(filepath.Join(s.dir, "2*", "cells", fmt.Sprintf("*-r%d", n), "intervals.hlog")) // the pattern is good
		if len(logs) == 1 {
			s.log = logs[0]
			return time.Now(), s.look()
		}
		select {
		case err := <-ended:
			ended <- err
			return time.Time{}, fmt.Errorf("brokerbench ended before cell %d, see %s/log: %w", n, s.dir, err)
		case <-ctx.Done():
			return time.Time{}, ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// look finds the processes of the broker: descendants of brokerbench in other sessions. It puts them and brokerbench each
// into a group whose CPU can be limited; that alone limits nothing.
func (s *scene) look() (err error) {
	s.node = nil
	for _, id := range process.Family(s.client) {
		if session(id.PID) != session(s.client) {
			s.node = append(s.node, id.PID)
		}
	}
	if len(s.node) == 0 {
		return errors.New("the broker has no process")
	}
	if s.group == nil {
		s.group = make(map[string]cgroup)
		for _, name := range []string{"client", "node"} {
			if s.group[name], err = newGroup(fmt.Sprintf("brokerbench-causes-%d-%s", os.Getpid(), name)); err != nil {
				return err
			}
		}
	}
	return errors.Join(s.group["client"].add(s.client), s.group["node"].add(s.node...))
}

// session returns the session of a process; "" if it has ended.
func session(pid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(text), ") ")
	if fields := strings.Fields(state); len(fields) > 3 {
		return fields[3]
	}
	return ""
}

// close removes the groups.
func (s *scene) close() (err error) {
	for _, g := range s.group {
		err = errors.Join(err, g.remove())
	}
	return err
}

// harm harms the messages of a cell in bursts.
func (s *scene) harm(ctx context.Context, name string, start time.Time, window time.Duration, random *rand.Rand) (d deed) {
	d.Kind = name
	k := kinds()[name]
	planned := schedule(random, start, window, k.least, k.most)
	w, err := k.prepare(s)
	if err != nil {
		d.Problem = err.Error()
		return d
	}
	for _, b := range planned {
		if err != nil || ctx.Err() != nil || time.Now().After(b.From) { // preparing took long
			continue
		}
		time.Sleep(time.Until(b.From))
		length := b.To.Sub(b.From)
		b.From = time.Now()
		err = w.begin()
		time.Sleep(length)
		err = errors.Join(err, w.end())
		b.To = time.Now()
		d.Bursts = append(d.Bursts, b)
	}
	if err = errors.Join(err, w.close()); err != nil {
		d.Problem = err.Error()
	}
	return d
}
