//go:build linux

package guardian

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/leaf/process/processtest"
)

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
