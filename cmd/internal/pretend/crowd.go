//go:build linux

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/cluster/agent"
	"github.com/brokerbench/brokerbench/cluster/wire"
	"github.com/brokerbench/brokerbench/machine"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/loopback"
	"github.com/brokerbench/brokerbench/results"
)

// A crowd is many agents, of which the first one measures, and the others say what it says.
type crowd struct {
	joins    []wire.Join // of each
	dir      string
	started  chan struct{} // closed when messages are due
	measured chan struct{} // closed when the last one was
	failed   chan error
	running  sync.WaitGroup
	begun    atomic.Bool

	mu          sync.Mutex
	due, done   int64
	first, last time.Duration
}

func newCrowd(joins []wire.Join, dir string) *crowd {
	return &crowd{joins: joins, dir: dir, started: make(chan struct{}), measured: make(chan struct{}), failed: make(chan error, len(joins))}
}

// joinEvery keeps a thousand agents from asking for TLS in the same moment, as those of
// a thousand machines do not either.
const joinEvery = 20 * time.Millisecond

// begin starts the agents one after the other. They end with ctx or their run.
func (c *crowd) begin(ctx context.Context) {
	environment := measure.Environment()
	for i, join := range c.joins {
		c.running.Go(func() {
			err := sleep(ctx, time.Duration(i)*joinEvery)
			if err == nil {
				err = c.run(ctx, i, join, environment)
			}
			if err != nil {
				c.failed <- err
			}
		})
	}
}

// wait returns when all agents have ended.
func (c *crowd) wait() { c.running.Wait() }

func (c *crowd) run(ctx context.Context, i int, join wire.Join, environment results.Environment) error {
	dir := filepath.Join(c.dir, strconv.Itoa(i))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return agent.Run(ctx, agent.Config{Join: join, Version: measure.Version(), Environment: environment, Dir: dir, Measure: c.measure})
}

// measure is what an agent does with its part of the cell.
func (c *crowd) measure(ctx context.Context, t wire.Task, dir string, hooks agent.Hooks) error {
	if t.Index == 0 {
		return c.really(ctx, t, dir, hooks)
	}
	start, err := hooks.Ready(ctx)
	if err != nil {
		return err
	}
	if err := sleep(ctx, time.Until(start)); err != nil {
		return err
	}
	hooks.Started(start)
	for looks := time.NewTicker(progressEvery); ; {
		select {
		case <-looks.C:
			c.mu.Lock()
			due, done := c.due, c.done
			c.mu.Unlock()
			hooks.Progress(due, done)
		case <-c.measured:
			looks.Stop()
			hooks.Spanned(c.first, c.last)
			return os.CopyFS(dir, os.DirFS(c.template()))
		case <-ctx.Done():
			looks.Stop()
			return context.Cause(ctx)
		}
	}
}

const progressEvery = 100 * time.Millisecond

// template is the folder of the result that all deliver.
func (c *crowd) template() string { return filepath.Join(c.dir, "template") }

// really measures the first part, on a loopback.
func (c *crowd) really(ctx context.Context, t wire.Task, dir string, hooks agent.Hooks) error {
	if c.begun.Swap(true) {
		return errors.New("the first attempt was given up: the machine is too busy for so many agents")
	}
	f, err := loopback.New(loopback.Config{})
	if err != nil {
		return err
	}
	_, err = measure.Cell(ctx, f, t.Cell, measure.Options{
		ID: t.ID, Folder: results.OpenCell(dir), Part: schedule.Share{Index: t.Index, Of: t.Of}, Observer: machine.NewObserver(), Ready: hooks.Ready,
		Started: func(start time.Time) {
			hooks.Started(start)
			go func() {
				_ = sleep(ctx, time.Until(start))
				close(c.started)
			}()
		},
		Spanned: func(first, last time.Duration) {
			hooks.Spanned(first, last)
			c.first, c.last = first, last // before measured is closed
		},
		Progress: func(p measure.Progress) {
			hooks.Progress(p.Due, p.Done)
			c.mu.Lock()
			c.due, c.done = p.Due, p.Done
			c.mu.Unlock()
		},
	})
	if err == nil {
		err = os.CopyFS(c.template(), os.DirFS(dir))
	}
	if err != nil {
		return err
	}
	close(c.measured)
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
