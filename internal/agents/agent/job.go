package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

// A job is a task under way.
type job struct {
	agent  *Agent
	key    string
	task   wire.Task
	dir    string                  // of its files
	cancel context.CancelCauseFunc // what is measured; see stop
	forget context.CancelCauseFunc // that, and delivering it; see abandon
	hasty  context.Context         // done once nobody waits for an audit, or for what is broken, any more; see hurry
	hurry  context.CancelFunc
	start  chan time.Time
	ended  chan struct{}
	again  chan struct{} // the result is to be delivered from its first chunk
	healed chan struct{} // closed when what was broken is healed, or nobody will

	mu        sync.Mutex
	settled   bool // nothing is sent or awaited any more
	state     wire.State
	error     string
	due, done int64
	parcel    wire.Parcel
	result    *wire.Parcel // once it is delivered
	told      bool         // a coordinator has heard that it is
	echo      wire.EchoStart
	kept      []func() // to be called by release
}

// begin starts a job, once the one before has ended: that of an attempt that was given up.
func (a *Agent) begin(ctx context.Context, key string, task wire.Task) {
	a.mu.Lock()
	before := a.job
	a.mu.Unlock()
	if before != nil {
		if before.reached() == wire.Delivered {
			<-before.ended // it was abandoned, and does nothing
		}
		select {
		case <-before.ended:
		default:
			return // the order is repeated
		}
	}
	wanted, forget := context.WithCancelCause(context.WithoutCancel(ctx)) // the agent stops it
	hasty, hurry := context.WithCancel(wanted)
	ctx, cancel := context.WithCancelCause(wanted)
	j := &job{
		agent: a, key: key, task: task, dir: filepath.Join(a.cfg.Dir, key), cancel: cancel, forget: forget, hasty: hasty, hurry: hurry,
		start: make(chan time.Time, 1), ended: make(chan struct{}), again: make(chan struct{}, 1), healed: make(chan struct{}), state: wire.Preparing,
	}
	a.mu.Lock()
	a.job, a.heard = j, time.Now() // the answer to a beat, which renews the lease, may still be under way
	a.mu.Unlock()
	a.say("%s: %v, part %d of %d", key, task.Cell, task.Part.Index+1, task.Part.Of)
	go j.run(ctx, wanted, before)
}

// run measures until ctx ends, and delivers that for as long as it is wanted, again if another
// coordinator asks for it. It tidies up
// after the job before first: that takes time in which the agent goes on to report.
func (j *job) run(ctx, wanted context.Context, before *job) {
	defer close(j.ended)
	defer j.forget(nil)
	before.remove()
	err := os.MkdirAll(j.dir, 0o700)
	if err == nil {
		err = j.agent.cfg.Measure(ctx, j.task, j.dir, j.hooks())
	}
	for err == nil && wanted.Err() == nil {
		j.set(wire.Done)
		if err = j.deliver(wanted); errors.Is(err, errAgain) {
			err = nil
			continue
		}
		select {
		case <-j.again:
		case <-wanted.Done():
		}
	}
	switch {
	case j.reached() == wire.Delivered:
	case wanted.Err() != nil:
		j.fail(wire.Aborted, context.Cause(wanted))
	case err != nil && ctx.Err() != nil && j.reached() != wire.Done:
		j.fail(wire.Aborted, context.Cause(ctx))
	case err != nil:
		j.fail(wire.Failed, err)
	}
}

func (j *job) hooks() Hooks {
	return Hooks{
		Ready: j.ready, Started: j.started, Progress: j.progress, Settled: j.settle, Spanned: j.spanned, Echo: j.echoStart, Keep: j.keep,
		GiveUp: j.hasty.Done(),
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

// keep registers end to be called before the next task, for resources that others still use.
func (j *job) keep(end func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.kept = append(j.kept, end)
}

// release ends what was kept. It is called when the job has ended.
func (j *job) release() {
	j.mu.Lock()
	kept := j.kept
	j.kept = nil
	j.mu.Unlock()
	for _, end := range kept {
		end()
	}
}

// remove releases a job that has ended and removes its files, which are delivered or no longer
// needed. Without a job it does nothing.
func (j *job) remove() {
	if j != nil {
		j.release()
		_ = os.RemoveAll(j.dir)
	}
}

func (j *job) echoStart() wire.EchoStart {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.echo
}

// startAt says when the schedule begins. Only the first time counts.
func (j *job) startAt(at time.Time, echo *wire.EchoStart) {
	if echo != nil && len(j.start) == 0 && j.reached() == wire.Prepared {
		j.mu.Lock()
		j.echo = *echo
		j.mu.Unlock()
	}
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

// abandon ends a job whose result is not needed, in any state. Without a job it does nothing.
func (j *job) abandon(why string) {
	if j != nil {
		j.forget(errors.New(why))
		j.goOn()
	}
}

// healTime is how long a job waits for faults to be undone, which may take five minutes.
const healTime = 6 * time.Minute

// settle reports that the agent has stopped sending and awaiting messages, and waits until the
// coordinator has undone its faults, unless contact with the coordinator is lost.
func (j *job) settle() {
	j.mu.Lock()
	j.settled = true
	j.mu.Unlock()
	j.agent.nudge()
	limit, look := time.After(healTime), time.NewTicker(beatEvery)
	defer look.Stop()
	for {
		select {
		case <-j.healed:
			return
		case <-j.hasty.Done():
			return
		case <-limit:
			return
		case <-look.C:
			if j.agent.deserted() {
				return
			}
		}
	}
}

// goOn ends settle. It may be called again.
func (j *job) goOn() {
	j.mu.Lock()
	defer j.mu.Unlock()
	select {
	case <-j.healed:
	default:
		close(j.healed)
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

// owes reports whether the job has a result, or will have one, that no coordinator knows of.
// Without a job it returns false.
func (j *job) owes() bool {
	if j == nil {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state == wire.Running || j.state == wire.Done || j.state == wire.Delivered && !j.told
}

// heardOf takes that a coordinator has heard of a result. Without a job it does nothing.
func (j *job) heardOf(key string) {
	if j != nil && j.key == key {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.told = true
	}
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
	b.Settled = j.settled && j.state == wire.Running
}
