//go:build linux

package guardian

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
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

// What was undone is not undone again, and what was not needed is never done.
func TestTheListIsDoneOnce(t *testing.T) {
	g := startGuardian(t)
	dir := t.TempDir()
	file := func(name string) []string { return []string{"sh", "-c", "echo x >>" + filepath.Join(dir, name)} }
	now, err := g.Before(Undo{Run: file("now")})
	if err != nil {
		t.Fatal(err)
	}
	never, _ := g.Before(Undo{Run: file("never")})
	last, _ := g.Before(Undo{Run: file("last")})
	if err := g.Undo(now); err != nil {
		t.Fatal(err)
	}
	if err := g.Undo(now); err == nil {
		t.Error("it is undone twice")
	}
	if err := g.Forget(never); err != nil || last == never {
		t.Errorf("%v; entries %d and %d", err, never, last)
	}
	for range 2 {
		_ = g.Close()
	}
	for name, want := range map[string]string{"now": "x\n", "never": "", "last": "x\n"} {
		if got, _ := os.ReadFile(filepath.Join(dir, name)); string(got) != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// The folder of a process is removed after it, also if it takes its time to end.
func TestTheLastEntryIsDoneFirst(t *testing.T) {
	g := startGuardian(t)
	dir := t.TempDir()
	if _, err := g.Before(Undo{Run: []string{"mv", dir + "/ended", dir + "/after"}}); err != nil {
		t.Fatal(err)
	}
	script := "trap 'sleep 0.2; touch " + dir + "/ended; exit' TERM; touch " + dir + "/up; while :; do sleep 0.01; done"
	if _, err := g.Run(Command{Args: []string{"sh", "-c", script}, Ends: 10 * time.Second}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it does not start", func() bool { _, err := os.Stat(dir + "/up"); return err == nil })
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir + "/after"); err != nil {
		t.Error(err)
	}
}

// A number is given out again: who has it now is not killed in place of who had it.
func TestAnotherProcessOfTheSameNumberLives(t *testing.T) {
	id, ok := process.Find(processtest.Sleeper(t))
	if !ok {
		t.Fatal("it does not run")
	}
	id.Started++
	for name, err := range map[string]error{"at the end": kill(id), "as an undo": Undo{Kill: &id}.do(), "in going on": Undo{Continue: &id}.do()} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if gone(id.PID) {
		t.Error("another process was killed")
	}
}

// What is mounted in a folder is unmounted after the processes that use it, and before the
// folder is removed.
func TestWhatWasMountedIsUnmounted(t *testing.T) {
	g := startGuardian(t)
	folder := filepath.Join(t.TempDir(), "folder")
	disk := filepath.Join(folder, "disk")
	for _, entry := range []Undo{{Remove: folder}, {Unmount: folder}} {
		if _, err := g.Before(entry); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(disk, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("only root can mount:", err)
	}
	if _, err := g.Run(Command{Args: []string{"sleep", "600"}, Dir: disk}); err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(folder); err == nil {
		_ = syscall.Unmount(disk, syscall.MNT_DETACH)
		t.Error("the folder is left")
	}
	if err := (Undo{Unmount: folder}).do(); err != nil { // nothing is there any more
		t.Error(err)
	}
}

func TestAFailureIsSaid(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // where it stays in the journal
	g := startGuardian(t)
	entry, _ := g.Before(Undo{Run: []string{"sh", "-c", "echo no way; exit 1"}})
	if err := g.Undo(entry); err == nil || !strings.Contains(err.Error(), "no way") {
		t.Errorf("Undo: %v", err)
	}
	if err := g.Close(); err == nil || !strings.Contains(err.Error(), "no way") {
		t.Errorf("Close: %v", err)
	}
	if left, err := Sweep(true); err != nil || len(left) != 1 {
		t.Errorf("%v is to be undone later, %v", left, err)
	}
}

// Hosts may share the folder of journals: what another host left is its own, and after a boot processes
// and mounts are gone, but not files.
func TestJournalsOfOtherHostsAndBoots(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	other := here()
	other.Host += "-other"
	earlier := here()
	earlier.Boot = "earlier"
	for _, on := range []place{other, earlier} {
		j, err := createJournal()
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(Folder(), on.Host+".data")
		self := process.ID{PID: os.Getpid()}
		if err := errors.Join(
			os.WriteFile(file, nil, 0o600), j.write(change{On: &on}), j.write(change{Number: 1, Undo: &Undo{Remove: file}}),
			j.write(change{Number: 2, Undo: &Undo{Kill: &self}}), j.file.Close(),
		); err != nil {
			t.Fatal(err)
		}
	}
	undone, err := Sweep(false)
	if err != nil || len(undone) != 1 || undone[0].Undo.Remove != filepath.Join(Folder(), earlier.Host+".data") {
		t.Errorf("%+v, %v", undone, err)
	}
	left, _ := filepath.Glob(filepath.Join(Folder(), "*"))
	if len(left) != 2 { // the journal and the file of the other host
		t.Errorf("left: %v", left)
	}
}
