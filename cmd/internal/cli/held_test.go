//go:build linux

package cli

import (
	"fmt"
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
	t.Cleanup(func() { _ = syscall.Kill(s.PID, syscall.SIGCONT) }) // so that it can be ended
	wrong, stalled := "", true
	unspoiled(func() bool {
		c := whileStopped(t, s.PID, s.URL)
		wrong = notHeld(c)
		stalled = stalled && c.Hiccup != nil && c.Hiccup.MaxNS >= int64(300*time.Millisecond)
		return wrong == ""
	})
	switch {
	case wrong != "" && stalled: // hiccups are not made of lag: if that counts the wrong time, there are none
		t.Log("NOT DECIDED: the machine gave this process no CPU for long in each cell: " + wrong)
	case wrong != "":
		t.Error(wrong)
	}
}

// whileStopped measures a server that stands still for part of the window.
func whileStopped(t *testing.T, pid int, url string) *results.Cell {
	t.Helper()
	resumed := make(chan struct{})
	time.AfterFunc(1500*time.Millisecond, func() {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
		time.Sleep(1500 * time.Millisecond)
		_ = syscall.Kill(pid, syscall.SIGCONT)
		close(resumed)
	})
	code, _, cells, stderr := runJSON(t, url, "--size", "256KiB", "--rate", "60", "--warmup", "0s", "--duration", "4s", "--percentiles", "50")
	<-resumed
	if len(cells) != 1 {
		t.Fatalf("%d cells, exit code %d; stderr: %s", len(cells), code, stderr)
	}
	return cells[0]
}

// notHeld says what is wrong with a cell in which the server held up the sender, and
// nothing else was late; "" is nothing.
func notHeld(c *results.Cell) string {
	p, _ := c.Problem(results.CodeHeld)
	if p.Severity != results.Valid || !strings.Contains(p.Text, "the target's client held up the sender: held p") {
		return fmt.Sprintf("problems %+v", c.Problems)
	}
	row, _ := c.Held.At(99)
	held, _ := row.Value()
	row, _ = c.Lag.At(99)
	lag, known := row.Value()
	if !known || held < 100*time.Millisecond || lag > held/2 || c.HeldByOthers != 0 {
		return fmt.Sprintf("held p99 %v, %v of it by others; lag p99 %v", held, c.HeldByOthers, lag)
	}
	return ""
}
