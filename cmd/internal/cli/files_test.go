//go:build linux

package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
)

// program runs the command line in a process of its own, which may open as many files.
func program(t *testing.T, files string, args ...string) (code int, stderr string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "sh", append([]string{"-c", `ulimit -n "$0" && exec "$@"`, files, os.Args[0]}, args...)...)
	c.Env = append(os.Environ(), asProgram+"=1")
	var said strings.Builder
	c.Stderr = &said
	_ = c.Run() // the exit code tells
	return c.ProcessState.ExitCode(), said.String()
}

// Too few descriptors are one line, soon, with how many are needed, and leave nothing.
func TestTooFewDescriptorsAreOneLine(t *testing.T) {
	for name, want := range map[string]string{"NATS": "184", "REDIS": "184", "RABBITMQ": "184", "KAFKA": "304"} {
		t.Run(name, func(t *testing.T) {
			url := os.Getenv("BROKERBENCH_" + name + "_URL")
			if url == "" {
				t.Skipf("NO REAL BROKER: BROKERBENCH_%s_URL is not set; see deploy/local/brokers", name)
			}
			start := time.Now()
			code, stderr := program(t, "32", "run", url, "--connections", "60", "--rate", "200", "--duration", "2s", "--warmup", "0s",
				"--floor", "off", "--progress", "off", "--out", t.TempDir())
			wantCode(t, code, command.ExitUsage, stderr, "may open 32 files", "60 connections need", "ulimit -n "+want)
			wantOneLine(t, stderr)
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("%v", took)
			}
		})
	}
}
