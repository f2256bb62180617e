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
func (d *action) run() error {
	ctx, cancel := context.WithTimeoutCause(d.b.actions, patience, errTooLong)
	defer cancel()
	c := exec.CommandContext(ctx, d.f.Command[0], d.f.Command[1:]...) //nolint:gosec // the user's own
	process.EndsWhole(c)
	c.WaitDelay = time.Second // processes that it started may hold its output open
	var said process.Tail
	c.Stdout, c.Stderr = &said, &said
	err := d.b.o.guarded(c)
	if err == nil || errors.Is(err, exec.ErrWaitDelay) {
		d.broken++
		return nil
	}
	if why := context.Cause(ctx); why != nil {
		err = why
	}
	if last := said.LastLine(); last != "" {
		err = fmt.Errorf("%w: %s", err, last)
	}
	return fmt.Errorf("%s: %w", strings.Join(d.f.Command, " "), err)
}

// guarded runs a command, and has the guard know of it all the time.
func (o Options) guarded(c *exec.Cmd) error {
	if err := c.Start(); err != nil {
		return err
	}
	id, _ := process.Find(c.Process.Pid)
	forget, err := o.guard(Leftover{Process: id})
	if err != nil {
		return errors.Join(err, c.Cancel(), c.Wait())
	}
	return errors.Join(c.Wait(), forget())
}
