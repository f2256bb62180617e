package network

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// waitDelay is how long what a command has started may hold its output after its end.
const waitDelay = time.Second

// run runs a command with this input, and returns what it prints. An error has what it says.
func run(ctx context.Context, input string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // of this package
	c.WaitDelay = waitDelay
	c.Stdin = strings.NewReader(input)
	var said strings.Builder
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		return "", fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, line)
	}
	return string(out), nil
}
