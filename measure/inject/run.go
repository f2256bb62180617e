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
	ctx, cancel := context.WithTimeout(d.b.deeds, patience)
	defer cancel()
	c := exec.CommandContext(ctx, d.f.Command[0], d.f.Command[1:]...) //nolint:gosec // the user's own
	process.EndsWhole(c)
	c.WaitDelay = time.Second // what it has started may hold its output for ever
	var said process.Said
	c.Stdout, c.Stderr = &said, &said
	err := c.Run()
	if err == nil || errors.Is(err, exec.ErrWaitDelay) {
		d.broken++
		return nil
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if last := said.Last(); last != "" {
		err = fmt.Errorf("%w: %s", err, last)
	}
	return fmt.Errorf("%s: %w", strings.Join(d.f.Command, " "), err)
}
