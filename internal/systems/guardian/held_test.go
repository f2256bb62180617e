//go:build linux

package guardian

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/leaf/process/processtest"
)

// holder starts this test binary as a parent that does what a run does, and waits to be
// killed.
const holder = "act-and-wait-to-be-killed"

// TestMain lets this test binary be the guardian, and the parent of one.
func TestMain(m *testing.M) {
	isChild, err := Serve(os.Args[1:], os.Stdin, os.Stdout)
	if len(os.Args) > 2 && os.Args[1] == holder {
		isChild, err = true, hold(os.Args[2], os.Args[3])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if !isChild {
		m.Run()
	}
}

// hold pauses a process and starts others, one of which leaves a daemon, all of which write
// their pids into files of the folder.
func hold(dir, paused string) error {
	g, err := Start()
	if err != nil {
		return err
	}
	pid, _ := strconv.Atoi(paused)
	id, _ := process.Find(pid)
	if _, err := g.Before(Undo{Continue: &id}); err != nil {
		return err
	}
	if _, err := g.Before(Undo{Remove: filepath.Join(dir, "folder")}); err != nil {
		return err
	}
	if _, err := g.Before(Undo{Run: []string{"touch", filepath.Join(dir, "ran")}}); err != nil {
		return err
	}
	daemon := "(setsid sleep 600 & echo $! >" + dir + "/daemon.pid) & "
	for i, script := range []string{"exec sleep 600", "trap '' TERM; " + daemon + "sleep 600", "sleep 600 & wait"} {
		args := []string{"sh", "-c", fmt.Sprintf("echo $$ >%s/%d.pid; %s", dir, i, script)}
		if _, err := g.Run(Command{Args: args, Ends: time.Second * time.Duration(i%2)}); err != nil {
			return err
		}
	}
	if err := id.Stop(); err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, g.PID())
	select {}
}

// Whatever is killed, nothing is left: no process, no folder, nothing paused.
func TestNothingIsLeft(t *testing.T) {
	for name, kill := range map[string]func(parent, guardian int) error{
		"the parent is killed":         func(parent, _ int) error { return syscall.Kill(parent, syscall.SIGKILL) },
		"its group is killed":          func(parent, _ int) error { return syscall.Kill(-parent, syscall.SIGKILL) },
		"the guardian is told to end":  func(parent, guardian int) error { return tell(parent, guardian, syscall.SIGTERM) },
		"the guardian is interrupted":  func(parent, guardian int) error { return tell(parent, guardian, syscall.SIGINT) },
		"the terminal of both is gone": func(parent, guardian int) error { return tell(parent, guardian, syscall.SIGHUP) },
	} {
		t.Run(name, func(t *testing.T) {
			h := heldFor(t)
			if err := kill(h.parent.Process.Pid, h.guardian); err != nil {
				t.Fatal(err)
			}
			_ = h.parent.Wait()
			h.wantNothingLeft(t)
		})
	}
}

// If both are killed, the next guardian begins with what they left.
func TestTheNextOneUndoesWhatIsLeft(t *testing.T) {
	h := heldFor(t)
	for _, pid := range []int{h.guardian, h.parent.Process.Pid} {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	_ = h.parent.Wait()
	eventually(t, "a dry run finds nothing", func() bool { // until the last thread of the guardian has ended
		left, err := Sweep(true)
		return err == nil && len(left) >= 4
	})
	if _, err := os.Stat(h.folder); err != nil {
		t.Fatal("a dry run undoes it: ", err)
	}
	startGuardian(t)
	h.wantNothingLeft(t)
	if left, err := Sweep(true); err != nil || len(left) > 0 {
		t.Errorf("there is %v, %v", left, err)
	}
}

// held is a parent that waits to be killed, and what it did.
type held struct {
	parent      *exec.Cmd
	guardian    int
	paused      int
	pids        []int
	folder, dir string
}

func heldFor(t *testing.T) (h held) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	h.dir = t.TempDir()
	h.folder = filepath.Join(h.dir, "folder")
	if err := os.MkdirAll(filepath.Join(h.folder, "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	h.paused = processtest.Sleeper(t)
	h.parent = exec.CommandContext(t.Context(), os.Args[0], holder, h.dir, strconv.Itoa(h.paused))
	h.parent.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	h.parent.Stderr = os.Stderr
	out, err := h.parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	if h.guardian, err = strconv.Atoi(strings.TrimSpace(line)); err != nil {
		t.Fatal(err)
	}
	h.pids = []int{h.guardian, pidIn(t, filepath.Join(h.dir, "daemon.pid"))}
	for i := range 3 {
		h.pids = append(h.pids, pidIn(t, filepath.Join(h.dir, strconv.Itoa(i)+".pid")))
	}
	return h
}

func (h held) wantNothingLeft(t *testing.T) {
	t.Helper()
	for _, pid := range h.pids {
		eventually(t, fmt.Sprintf("pid %d of %v is left", pid, h.pids), func() bool { return gone(pid) })
	}
	if processtest.State(t, h.paused) == "T" {
		t.Error("the process that was paused still is")
	}
	if _, err := os.Stat(h.folder); err == nil {
		t.Error("the folder is left")
	}
	if _, err := os.Stat(filepath.Join(h.dir, "ran")); err != nil {
		t.Error("the command did not run: ", err)
	}
	eventually(t, "a journal is left", func() bool {
		left, _ := filepath.Glob(filepath.Join(Folder(), "*"))
		for _, name := range left {
			if claimed, err := claim(name); claimed != nil || err != nil {
				return false
			}
		}
		return true
	})
}

// tell signals the guardian, which goes on, and then kills its parent.
func tell(parent, guardian int, s syscall.Signal) error {
	if err := syscall.Kill(guardian, s); err != nil {
		return err
	}
	time.Sleep(50 * time.Millisecond) // a guardian that ended would have
	if gone(guardian) {
		return fmt.Errorf("%v ended the guardian", s)
	}
	return syscall.Kill(parent, syscall.SIGKILL)
}
