package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/cluster/wire"
)

// A job is a task under way.
type job struct {
	agent  *Agent
	key    string
	task   wire.Task
	dir    string // of its files
	cancel context.CancelCauseFunc
	start  chan time.Time
	ended  chan struct{}

	mu        sync.Mutex
	state     wire.State
	error     string
	due, done int64
	parcel    wire.Parcel
	result    *wire.Parcel // once it is delivered
}

// begin starts a job, once the one before has ended: that of an attempt that was given up.
func (a *Agent) begin(ctx context.Context, key string, task wire.Task) {
	a.mu.Lock()
	before := a.job
	a.mu.Unlock()
	if before != nil {
		select {
		case <-before.ended:
		default:
			return // the order is repeated
		}
		_ = os.RemoveAll(before.dir) // it was delivered, or nobody wants it
	}
	ctx, cancel := context.WithCancelCause(ctx)
	j := &job{
		agent: a, key: key, task: task, dir: filepath.Join(a.cfg.Dir, key), cancel: cancel,
		start: make(chan time.Time, 1), ended: make(chan struct{}), state: wire.Preparing,
	}
	a.mu.Lock()
	a.job = j
	a.mu.Unlock()
	a.say("%s: %v, part %d of %d", key, task.Cell, task.Index+1, task.Of)
	go j.run(ctx)
}

// run measures and delivers.
func (j *job) run(ctx context.Context) {
	defer close(j.ended)
	defer j.cancel(nil)
	err := os.MkdirAll(j.dir, 0o700)
	if err == nil {
		err = j.agent.cfg.Measure(ctx, j.task, j.dir, Hooks{Ready: j.ready, Started: j.started, Progress: j.progress, Spanned: j.spanned})
	}
	switch {
	case err != nil && ctx.Err() != nil:
		j.fail(wire.Aborted, context.Cause(ctx))
		return
	case err != nil:
		j.fail(wire.Failed, err)
		return
	}
	j.set(wire.Done)
	if err := j.deliver(); err != nil {
		j.fail(wire.Failed, err)
	}
}

// ready says that everything is set up, and waits for the common start.
func (j *job) ready(ctx context.Context) (time.Time, error) {
	j.set(wire.Prepared)
	select {
	case start := <-j.start:
		if late := time.Since(start); late > 0 {
			err := fmt.Errorf("the order to start came %v late", late)
			j.cancel(err)
			return start, err
		}
		j.set(wire.Armed)
		return start, nil
	case <-ctx.Done():
		return time.Time{}, context.Cause(ctx)
	}
}

func (j *job) started(start time.Time) {
	j.mu.Lock()
	j.parcel.LateNS = int64(max(time.Since(start), 0))
	j.mu.Unlock()
	j.set(wire.Running)
}

func (j *job) progress(due, done int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.due, j.done = due, done
}

func (j *job) spanned(first, last time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.parcel.FirstDoneNS, j.parcel.LastDoneNS = int64(first), int64(last)
}

// startAt says when the schedule begins. Only the first time counts.
func (j *job) startAt(at time.Time) {
	select {
	case j.start <- at:
	default:
	}
}

// stop ends what is measured, which is delivered if any message was due. Without a job it
// does nothing.
func (j *job) stop(why string) {
	if j != nil {
		j.cancel(errors.New(why))
	}
}

func (j *job) set(s wire.State) {
	j.mu.Lock()
	j.state = s
	j.mu.Unlock()
	j.agent.nudge()
}

func (j *job) fail(s wire.State, err error) {
	j.mu.Lock()
	j.error = err.Error()
	j.mu.Unlock()
	j.set(s)
}

func (j *job) reached() wire.State {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state
}

// describe writes the job into a beat.
func (j *job) describe(b *wire.Beat) {
	j.mu.Lock()
	defer j.mu.Unlock()
	b.Key, b.State, b.Error, b.Due, b.Done, b.Result = j.key, j.state, j.error, j.due, j.done, j.result
}
