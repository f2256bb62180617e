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

// A command is a node that is a process of this machine with its descendants: one that brokerbench
// starts, or that runs already.
type command struct {
	run   guardian.Command // no Args: it was found
	guard *guardian.Guardian
	log   string

	mu sync.Mutex
	id process.ID
}

func newCommand(n plan.Node, o Options) *command {
	c := &command{guard: o.Guardian, log: n.Log}
	c.run = guardian.Command{Args: n.Command, Dir: n.Dir, Log: n.Log}
	if !o.Throwaway {
		c.run.Ends = endingPatience / 3 // brokerbench has gone, so nobody waits for long
	}
	return c
}

// newRunning returns a process that runs already.
func newRunning(pid int) *command {
	c := &command{}
	c.id, _ = process.Find(pid) // running says whether it runs
	return c
}

func (c *command) found() bool { return len(c.run.Args) == 0 }

func (c *command) start(ctx context.Context) error {
	if c.found() {
		_, how := c.running(ctx)
		return fmt.Errorf("%s, and brokerbench cannot start what it did not start before", how)
	}
	id, err := c.guard.Run(c.run)
	if err == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.id = id
	}
	return err
}

func (c *command) running(context.Context) (ok bool, how string) {
	id := c.first()
	switch alive := id.Alive(); {
	case !c.found() && id.PID == 0:
		return false, "it was not started"
	case c.found() && !alive:
		return false, fmt.Sprintf("pid %d: there is no such process", id.PID)
	case c.found():
		if err := process.Check(id.PID); err != nil {
			return false, err.Error()
		}
		return true, ""
	case alive:
		return true, ""
	}
	return false, c.how(id)
}

// how returns how the process ended. The guardian reaps it a moment later, on a busy machine after some hundred milliseconds.
func (c *command) how(id process.ID) string {
	for range 5000 {
		how, err := c.guard.How(id)
		if err != nil {
			return err.Error()
		}
		if how != "" {
			return how
		}
		time.Sleep(time.Millisecond)
	}
	return "its exit status is unknown"
}

// undoes: the guardian ends what it started anyway, and a killed process that was found stays dead,
// as the command that started it is unknown.
func (c *command) undoes(a action) (guardian.Undo, bool) {
	id := c.first()
	return guardian.Undo{Continue: &id}, c.found() && a == paused
}

func (c *command) tail(lines int) []string { return tailOf(c.log, lines) }

func (c *command) first() process.ID {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.id
}

// all returns the processes that run.
func (c *command) all() []process.ID {
	id := c.first()
	if id.PID == 0 || !id.Alive() {
		return nil
	}
	return process.Family(id.PID)
}

func (c *command) here() bool       { return true }
func (c *command) main() process.ID { return c.first() }

// kill kills all of them, including processes that they have started in the meantime.
func (c *command) kill(ctx context.Context) error {
	for {
		all := c.all()
		if err := toAll(all, process.ID.Kill); err != nil {
			return err
		}
		if err := gone(ctx, all); err != nil || len(all) == 0 {
			return err
		}
	}
}

// stop asks the first one to end, which ends the others.
func (c *command) stop(ctx context.Context) error {
	all := c.all()
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

func (c *command) pause(context.Context) error {
	all := c.all()
	if len(all) == 0 {
		return fmt.Errorf("pid %d: no such process", c.first().PID)
	}
	if err := toAll(all, process.ID.Stop); err != nil {
		return err
	}
	for _, id := range all {
		process.AwaitStopped(id.PID)
	}
	return nil
}

func (c *command) resume(context.Context) error { return toAll(c.all(), process.ID.Continue) }

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
