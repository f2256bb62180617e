package inject

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// run runs a user's command to its end. If that takes too long, the command and all processes that it
// started are ended.
func (a *action) run() error {
	ctx, cancel := context.WithTimeoutCause(a.in.actions, patience, errTooLong)
	defer cancel()
	c := exec.CommandContext(ctx, a.f.Command[0], a.f.Command[1:]...) //nolint:gosec // the user's own
	process.EndsWhole(c)
	c.WaitDelay = time.Second // processes that it started may hold its output open
	var said process.Tail
	c.Stdout, c.Stderr = &said, &said
	err := a.in.guarded(c)
	if err == nil || errors.Is(err, exec.ErrWaitDelay) {
		a.broken++
		return nil
	}
	if why := context.Cause(ctx); why != nil {
		err = why
	}
	if last := said.LastLine(); last != "" {
		err = fmt.Errorf("%w: %s", err, last)
	}
	return fmt.Errorf("%s: %w", strings.Join(a.f.Command, " "), err)
}

// guarded runs a command, and has the guard know of it all the time.
func (in *Injector) guarded(c *exec.Cmd) error {
	if err := c.Start(); err != nil {
		return err
	}
	id, _ := process.Find(c.Process.Pid)
	forget, err := in.o.Guard(Leftover{Process: id})
	if err != nil {
		return errors.Join(err, c.Cancel(), c.Wait())
	}
	return errors.Join(c.Wait(), forget())
}
