//go:build linux

package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/poll"
)

// starts starts a process for the length of a test.
func starts(t *testing.T, args ...string) ID {
	t.Helper()
	c := exec.CommandContext(t.Context(), args[0], args[1:]...)
	OwnGroup(c) // a process that is stopped may have the system hang up its whole group
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	id, ok := Find(c.Process.Pid)
	if !ok || !id.Alive() {
		t.Fatalf("pid %d is not found", c.Process.Pid)
	}
	return id
}

// What a shell has begun ends with it.
func TestACommandEndsWhole(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := exec.CommandContext(ctx, "sh", "-c", "sleep 600 & echo $!; wait")
	EndsWhole(c)
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil {
		t.Fatal(err)
	}
	child, ok := Find(pid)
	if !ok {
		t.Fatalf("pid %d is not found", pid)
	}
	cancel()
	if err := c.Wait(); err == nil {
		t.Error("it ended by itself")
	}
	t.Cleanup(func() { _ = child.Kill() })
	poll.Until(t, 5*time.Second, func() bool { return !child.Alive() }, "what it had begun goes on")
}

// A number that another process has by now is not that process.
func TestAnIDIsMoreThanANumber(t *testing.T) {
	id := starts(t, "sleep", "600")
	other := ID{id.PID, id.Started + 1}
	if other.Alive() || other.Kill() != nil || other.Continue() != nil || other.Terminate() != nil || !id.Alive() {
		t.Error("another process was taken for it")
	}
	if err := other.Stop(); err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("stopping what is gone: %v", err)
	}
	if err := id.Kill(); err != nil {
		t.Error(err)
	}
	poll.Until(t, 10*time.Second, func() bool { return !id.Alive() }, "it still runs") // a zombie is gone
	if family := Family(id.PID); len(family) != 0 {
		t.Errorf("family %v", family)
	}
}

func TestFamily(t *testing.T) {
	id := starts(t, "sh", "-c", "sh -c 'sleep 600 & wait' & sleep 600 & wait")
	var family []ID
	poll.Until(t, 10*time.Second, func() bool {
		pauses := 0
		family = NewTree(func() { pauses++ }).Family(id)
		return len(family) == 4 && family[0] == id && pauses > 0
	}, "the shells and their processes are not a family of four")
	for _, one := range family {
		_ = one.Kill()
	}
}

// Who started brokerbench, and who started that, would end it too.
func TestCheckRefusesAncestors(t *testing.T) {
	pids := ancestors()
	if len(pids) < 2 || pids[0] != os.Getppid() {
		t.Fatalf("ancestors %v", pids)
	}
	for _, pid := range pids {
		if err := Check(pid); err == nil || pid > 1 && !strings.Contains(err.Error(), "has started brokerbench") {
			t.Errorf("pid %d of %v: %v", pid, pids, err)
		}
	}
	if err := Check(starts(t, "sleep", "600").PID); err != nil {
		t.Error(err)
	}
}

// The CPU clock of a process sees what steps of 10 ms do not.
func TestCount(t *testing.T) {
	self, _ := Find(os.Getpid())
	before := self.Count(func() {})
	for begin := time.Now(); time.Since(begin) < 5*time.Millisecond; {
	}
	after := self.Count(func() {})
	if before.CPU == nil || after.CPU == nil || *after.CPU <= *before.CPU || after.Resident == nil || *after.Resident < 1<<20 {
		t.Errorf("%v, then %v of CPU time, resident %v", before.CPU, after.CPU, after.Resident)
	}
	if gone := (ID{PID: 1 << 30}).Count(func() {}); gone.CPU != nil || gone.Resident != nil || gone.Written != nil {
		t.Errorf("of no process: %+v", gone)
	}
}

// Bytes that are written and deleted before they reach the disk are written, and cancelled.
func TestCancelledBytesAreWritten(t *testing.T) {
	self, _ := Find(os.Getpid())
	before := self.Count(func() {})
	path := filepath.Join(t.TempDir(), "file")
	if err := errors.Join(os.WriteFile(path, make([]byte, 4<<20), 0o600), os.Remove(path)); err != nil {
		t.Fatal(err)
	}
	after := self.Count(func() {})
	cancelled := *after.Cancelled - *before.Cancelled
	if written := *after.Written - *before.Written; written < cancelled {
		t.Errorf("%d B written, %d B of them cancelled", written, cancelled)
	} else if cancelled == 0 {
		t.Skip("this file system has no bytes to cancel")
	}
}
