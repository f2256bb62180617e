//go:build linux

package cli

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// A server that stops reading fills the socket, and Request waits for it. What is due
// meanwhile is held up, and the generator is not blamed for it.
func TestAServerThatStopsReadingHoldsUpTheSender(t *testing.T) {
	if testing.Short() {
		t.Skip("with the race detector the generator itself is too slow")
	}
	s := server(t)
	resume := func() { _ = syscall.Kill(s.PID, syscall.SIGCONT) }
	t.Cleanup(resume) // so that it can be ended
	time.AfterFunc(1500*time.Millisecond, func() {
		_ = syscall.Kill(s.PID, syscall.SIGSTOP)
		time.AfterFunc(1500*time.Millisecond, resume)
	})
	code, _, cells, stderr := runJSON(t, s.URL, "--size", "256KiB", "--rate", "60", "--warmup", "0s", "--duration", "4s", "--percentiles", "50")
	if len(cells) != 1 {
		t.Fatalf("%d cells, exit code %d; stderr: %s", len(cells), code, stderr)
	}
	c := cells[0]
	p, _ := c.Problem(results.CodeHeld)
	if p.Severity != results.Valid || !strings.Contains(p.Text, "the target's client held up the sender: held p") {
		t.Errorf("problems %+v", c.Problems)
	}
	held, _ := c.Held.At(99)
	lag, _ := c.Lag.At(99)
	if *held.ValueNS < int64(100*time.Millisecond) || *lag.ValueNS > *held.ValueNS/2 || c.HeldByOthers != 0 {
		t.Errorf("held p99 %d ns, %v of it by others; lag p99 %d ns", *held.ValueNS, c.HeldByOthers, *lag.ValueNS)
	}
	t.Logf("held p99 %d ns, lag p99 %d ns: %+v", *held.ValueNS, *lag.ValueNS, c.Problems)
}
