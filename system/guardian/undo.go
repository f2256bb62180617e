package guardian

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// patience is how long the command of an undo may take.
const patience = 30 * time.Second

// do undoes. What is undone already is no error.
func (u Undo) do() error {
	switch {
	case u.Continue != nil:
		return u.Continue.Continue()
	case u.Kill != nil:
		if !u.Kill.Alive() {
			return nil
		}
		return kill(u.Kill.PID)
	case u.Remove != "":
		return os.RemoveAll(u.Remove)
	case len(u.Run) > 0:
		return runCommand(u.Run)
	}
	return nil
}

// last tells whether it is done after all processes have ended.
func (u Undo) last() bool { return u.Remove != "" || len(u.Run) > 0 }

func runCommand(args []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	said, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput() //nolint:gosec // the user's own
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(said)))
	}
	return nil
}
