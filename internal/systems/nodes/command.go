package nodes

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/systems/guardian"
	"github.com/brokerbench/brokerbench/plan"
)

// A command is a node that brokerbench starts.
type command struct {
	family
	run   guardian.Command
	guard *guardian.Guardian
	log   string
}

func newCommand(n plan.Node, o Options) *command {
	c := &command{guard: o.Guardian, log: n.Log}
	c.run = guardian.Command{Args: n.Command, Dir: n.Dir, Log: n.Log}
	if !o.Throwaway {
		c.run.Ends = endingPatience / 3 // brokerbench has gone, so nobody waits for long
	}
	return c
}

func (c *command) start(context.Context) error {
	id, err := c.guard.Run(c.run)
	if err == nil {
		c.set(id)
	}
	return err
}

func (c *command) running(context.Context) (ok bool, how string) {
	id := c.first()
	if id.PID == 0 {
		return false, "it was not started"
	}
	if id.Alive() {
		return true, ""
	}
	return false, c.how(id)
}

// how returns how the process ended, which the guardian notices a moment later.
func (c *command) how(id process.ID) string {
	for range 100 {
		how, err := c.guard.How(id)
		if err != nil {
			return err.Error()
		}
		if how != "" {
			return how
		}
		time.Sleep(time.Millisecond)
	}
	return "nobody knows how"
}

// undoes: the guardian ends what it started anyway.
func (*command) undoes(deed) (guardian.Undo, bool) { return guardian.Undo{}, false }

func (c *command) tail(lines int) []string { return tailOf(c.log, lines) }

// A running is a node that runs already, as a process of this machine.
type running struct{ family }

func newRunning(pid int) *running {
	r := &running{}
	id, _ := process.Find(pid) // running says whether it runs
	r.set(id)
	return r
}

func (r *running) start(ctx context.Context) error {
	_, how := r.running(ctx)
	return fmt.Errorf("%s, and brokerbench cannot start what it did not start before", how)
}

func (r *running) running(context.Context) (ok bool, how string) {
	if id := r.first(); id.Alive() {
		if err := process.Check(id.PID); err != nil {
			return false, err.Error()
		}
		return true, ""
	}
	return false, fmt.Sprintf("pid %d: there is no such process", r.first().PID)
}

// undoes: a killed process stays dead, as the command that started it is unknown.
func (r *running) undoes(d deed) (guardian.Undo, bool) {
	id := r.first()
	return guardian.Undo{Continue: &id}, d == paused
}

func (*running) tail(int) []string { return nil }

// A family is a process and its descendants.
type family struct {
	mu sync.Mutex
	id process.ID
}

func (f *family) set(id process.ID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.id = id
}

func (f *family) first() process.ID {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.id
}

// all returns the processes that run.
func (f *family) all() []process.ID {
	id := f.first()
	if id.PID == 0 || !id.Alive() {
		return nil
	}
	return process.Family(id.PID)
}

func (f *family) here() bool       { return true }
func (f *family) main() process.ID { return f.first() }

// kill kills all of them, including processes that they have started in the meantime.
func (f *family) kill(ctx context.Context) error {
	for {
		all := f.all()
		if err := toAll(all, process.ID.Kill); err != nil {
			return err
		}
		if err := gone(ctx, all); err != nil || len(all) == 0 {
			return err
		}
	}
}

// stop asks the first one to end, which ends the others.
func (f *family) stop(ctx context.Context) error {
	all := f.all()
	if len(all) == 0 {
		return nil
	}
	if err := all[0].Terminate(); err != nil {
		return err
	}
	if err := toAll(all, process.ID.Continue); err != nil { // one that is paused would not notice
		return err
	}
	return gone(ctx, all)
}

func (f *family) pause(context.Context) error {
	all := f.all()
	if len(all) == 0 {
		return fmt.Errorf("pid %d: no such process", f.first().PID)
	}
	if err := toAll(all, process.ID.Stop); err != nil {
		return err
	}
	for _, id := range all {
		process.AwaitStopped(id.PID)
	}
	return nil
}

func (f *family) resume(context.Context) error { return toAll(f.all(), process.ID.Continue) }

func toAll(all []process.ID, send func(process.ID) error) error {
	for _, id := range all {
		if err := send(id); err != nil {
			return err
		}
	}
	return nil
}

// gone waits until none of them runs.
func gone(ctx context.Context, all []process.ID) error {
	for _, id := range all {
		for id.Alive() {
			select {
			case <-ctx.Done():
				return fmt.Errorf("pid %d still runs: %w", id.PID, context.Cause(ctx))
			case <-time.After(time.Millisecond):
			}
		}
	}
	return nil
}
