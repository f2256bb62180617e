package process

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Output runs a command with this input, and returns its output without surrounding space. An error
// includes the last two lines of its standard error. When ctx ends, the command is killed with all
// that it started.
func Output(ctx context.Context, input string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // the caller's own
	EndsWhole(c)
	c.WaitDelay = time.Second // what it started may have its output still
	c.Stdin = strings.NewReader(input)
	out, err := c.Output()
	if err == nil {
		return strings.TrimSpace(string(out)), nil
	}
	said := ""
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(exit.Stderr) > 0 {
		said = ": " + strings.Join(LastLines(string(exit.Stderr), 2), "; ")
	}
	return "", fmt.Errorf("%s: %w%s", strings.Join(args, " "), err, said)
}

// LastLines returns the last lines of a text that are not empty.
func LastLines(text string, lines int) (last []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			last = append(last, line)
		}
	}
	return last[max(0, len(last)-lines):]
}
