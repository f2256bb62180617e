package inject

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/process"
)

// run runs a command of the user's to its end. If it takes too long, it ends with all that it
// has started.
func (d *deed) run() error {
	ctx, cancel := context.WithTimeoutCause(d.b.deeds, patience, errTooLong)
	defer cancel()
	c := exec.CommandContext(ctx, d.f.Command[0], d.f.Command[1:]...) //nolint:gosec // the user's own
	process.EndsWhole(c)
	c.WaitDelay = time.Second // what it has started may hold its output for ever
	var said process.Said
	c.Stdout, c.Stderr = &said, &said
	err := d.b.o.guarded(c)
	if err == nil || errors.Is(err, exec.ErrWaitDelay) {
		d.broken++
		return nil
	}
	if why := context.Cause(ctx); why != nil {
		err = why
	}
	if last := said.Last(); last != "" {
		err = fmt.Errorf("%w: %s", err, last)
	}
	return fmt.Errorf("%s: %w", strings.Join(d.f.Command, " "), err)
}

// guarded runs a command that the guard knows of from its beginning to its end.
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
