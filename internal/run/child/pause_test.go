//go:build linux

package child

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/poll"
	"github.com/brokerbench/brokerbench/internal/leaf/process/processtest"
	"github.com/brokerbench/brokerbench/internal/loopback"
)

// A system that is stopped says so itself, once it goes on.
func TestTheWitnessSaysThatItStoodStill(t *testing.T) {
	s, err := StartWitness(loopback.Config{Delay: time.Millisecond}, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Stop() }()
	p, err := StartPauser(s.PID)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	if err := p.Pause(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	if err := p.Continue(); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Record(); err != nil || r.Still < 250*time.Millisecond {
		t.Errorf("still for %v, %v", r.Still, err)
	}
}

// wantState wants the process to be stopped, or not, before long.
func wantState(t *testing.T, pid int, stopped bool) {
	t.Helper()
	poll.Until(t, 10*time.Second, func() bool { return (processtest.State(t, pid) == "T") == stopped }, "want stopped %v", stopped)
}

func startPauser(t *testing.T, pid int) *Pauser {
	t.Helper()
	p, err := StartPauser(pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func TestPauseAndContinue(t *testing.T) {
	pid := processtest.Sleeper(t)
	p := startPauser(t, pid)
	wantState(t, pid, false)
	for range 2 {
		if err := p.Pause(); err != nil {
			t.Fatal(err)
		}
		wantState(t, pid, true)
		if err := p.Continue(); err != nil {
			t.Fatal(err)
		}
		wantState(t, pid, false)
	}
}

func TestCloseContinues(t *testing.T) {
	pid := processtest.Sleeper(t)
	p := startPauser(t, pid)
	if err := p.Pause(); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	wantState(t, pid, false)
}

// However brokerbench ends, the broker goes on.
func TestItGoesOnWhenTheParentIsKilled(t *testing.T) {
	pid := processtest.Sleeper(t)
	c := exec.CommandContext(t.Context(), os.Args[0], holder, strconv.Itoa(pid))
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "<nil>\n" {
		t.Fatalf("the holder says %q", line)
	}
	wantState(t, pid, true)
	_ = c.Process.Kill()
	_ = c.Wait()
	wantState(t, pid, false)
}

func TestItGoesOnWhenTheChildIsKilled(t *testing.T) {
	pid := processtest.Sleeper(t)
	p := startPauser(t, pid)
	if err := p.Pause(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(p.child.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := p.Continue(); err == nil {
		t.Error("Continue does not report that the child is gone")
	}
	wantState(t, pid, false)
}

func TestStartRefuses(t *testing.T) {
	gone := exec.CommandContext(t.Context(), "true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{0, 1, -5, os.Getpid(), os.Getppid(), gone.Process.Pid} {
		if _, err := StartPauser(pid); err == nil {
			t.Errorf("pid %d can be paused", pid)
		}
	}
}

func TestAnotherUsersProcessIsRefused(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can become another user")
	}
	binary := filepath.Join(t.TempDir(), "test")
	text, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(binary, text, 0o755); err != nil { // another user runs it
		t.Fatal(err)
	}
	for dir := binary; dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil && dir != os.TempDir() {
			t.Skip("the test binary cannot be shared: ", err)
		}
		if filepath.Dir(dir) == os.TempDir() {
			break
		}
	}
	c := exec.CommandContext(t.Context(), binary, refuse, strconv.Itoa(processtest.Sleeper(t)))
	c.Dir = "/"
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "belongs to another user: only root may pause it") {
		t.Errorf("%s, %v", out, err)
	}
}
