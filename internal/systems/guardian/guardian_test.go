//go:build linux

package guardian

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/poll"
	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/leaf/process/processtest"
)

// pidIn waits for a file that holds a pid.
func pidIn(t *testing.T, file string) (pid int) {
	t.Helper()
	eventually(t, file, func() bool {
		text, err := os.ReadFile(file)
		if err == nil {
			pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
		}
		return err == nil
	})
	return pid
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	poll.Until(t, 20*time.Second, holds, "%s", what)
}

func gone(pid int) bool {
	_, ok := process.Find(pid)
	return !ok
}

func startGuardian(t *testing.T) *Guardian {
	t.Helper()
	g, err := Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	return g
}

// If the guardian itself is killed, its parent undoes everything, the descendants of processes included.
func TestTheGuardianIsKilled(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	g := startGuardian(t)
	dir := t.TempDir()
	folder, paused := filepath.Join(dir, "folder"), processtest.Sleeper(t)
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	id, _ := process.Find(paused)
	for _, u := range []Undo{{Remove: folder}, {Continue: &id}} {
		if _, err := g.Before(u); err != nil {
			t.Fatal(err)
		}
	}
	if err := id.Stop(); err != nil {
		t.Fatal(err)
	}
	first, err := g.Run(Command{Args: []string{"sh", "-c", "setsid sleep 600 & echo $! >" + dir + "/daemon.pid; wait"}})
	if err != nil {
		t.Fatal(err)
	}
	daemon := pidIn(t, dir+"/daemon.pid")
	if err := syscall.Kill(g.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the process is left", func() bool { return !first.Alive() })
	if _, err := g.Run(Command{Args: []string{"true"}}); err == nil || !strings.Contains(err.Error(), "guardian") {
		t.Errorf("Run of a guardian that is gone: %v", err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	eventually(t, "a descendant is left", func() bool { return gone(daemon) })
	if _, err := os.Stat(folder); err == nil || processtest.State(t, paused) == "T" {
		t.Error("the folder is left, or the process is still paused")
	}
	if left, _ := filepath.Glob(filepath.Join(Folder(), "*")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

func TestHowAProcessEnded(t *testing.T) {
	g := startGuardian(t)
	log := filepath.Join(t.TempDir(), "log")
	id, err := g.Run(Command{Args: []string{"sh", "-c", `echo "$WORD in $PWD"; read x; exit 3`}, Env: []string{"WORD=hello"}, Dir: "/", Log: log})
	if err != nil {
		t.Fatal(err)
	}
	how := ""
	eventually(t, "it does not end", func() bool { how, err = g.How(id); return err != nil || how != "" })
	if text, _ := os.ReadFile(log); how != "exit status 3" || string(text) != "hello in /\n" {
		t.Errorf("%q, %v; log %q", how, err, text)
	}
	if _, err := g.How(process.ID{PID: os.Getpid()}); err == nil {
		t.Error("it says how a process ended that it did not start")
	}
	if _, err := g.Run(Command{Args: []string{"/no/such/program"}}); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a program that is not there: %v", err)
	}
	if _, err := g.Run(Command{}); err == nil {
		t.Error("no command is none")
	}
}
