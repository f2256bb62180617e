package guardian

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// patience is how long the command of an undo may take.
const patience = 30 * time.Second

// waitDelay is how long what a command has started may hold its output after its end.
const waitDelay = time.Second

// do runs the undo. Repeating it is not an error.
func (u Undo) do() error {
	switch {
	case u.Continue != nil:
		return carryOn(*u.Continue)
	case u.Kill != nil:
		return kill(*u.Kill)
	case u.Remove != "":
		return os.RemoveAll(u.Remove)
	case u.Unmount != "":
		return unmount(u.Unmount)
	case len(u.Run) > 0:
		return runCommand(u.Run)
	}
	return nil
}

// last tells whether it is done after all processes have ended.
func (u Undo) last() bool { return u.Remove != "" || u.Unmount != "" || len(u.Run) > 0 }

// carryOn lets a process go on, with all that it started: they were stopped together.
func carryOn(first process.ID) error {
	if !first.Alive() {
		return first.Continue()
	}
	var errs []error
	for _, id := range process.NewTree(func() {}).Family(first) {
		errs = append(errs, id.Continue())
	}
	return errors.Join(errs...)
}

func runCommand(args []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // the user's own
	c.WaitDelay = waitDelay
	c.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, mark+"=") }) // a service that it starts is not the guardian's
	said, err := c.CombinedOutput()
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(said)))
	}
	return nil
}
