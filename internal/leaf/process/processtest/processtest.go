// Package processtest starts and inspects processes for tests.
package processtest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// Sleeper starts a process that does nothing, for the length of a test. It has a new process
// group: the system may hang up the whole group of a process that is stopped.
func Sleeper(tb testing.TB) (pid int) {
	tb.Helper()
	c := exec.CommandContext(tb.Context(), "sleep", "600")
	process.OwnGroup(c)
	if err := c.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	return c.Process.Pid
}

// State returns the state of a process in /proc, such as T for one that was stopped. The test
// ends if there is no such process.
func State(tb testing.TB, pid int) string {
	tb.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		tb.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return rest[:1]
}
