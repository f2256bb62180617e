package inject_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/faults/inject"
	"github.com/brokerbench/brokerbench/internal/leaf/poll"
	"github.com/brokerbench/brokerbench/plan"
)

// What a command says does not fill the memory, however much it is.
func TestACommandMaySayMuch(t *testing.T) {
	file := filepath.Join(t.TempDir(), "begun")
	b := inject.New(cell(plan.Fault{Do: plan.Run, Command: []string{"sh", "-c", "touch \"$0\"; head -c 100000000 /dev/zero | tr '\\0' x; echo; echo that was much; exit 3", file}}), inject.Options{})
	before := resident(t)
	b.Begin(silent{}, time.Now().Add(-warmup), warmup)
	there(t, file)
	if got := heal(b, time.Minute); !strings.HasSuffix(got[0].Error, "exit status 3: that was much") {
		t.Errorf("got %+v", got[0])
	}
	if grown := resident(t) - before; grown > 50<<20 {
		t.Errorf("it took %d MiB of memory", grown>>20)
	}
}

// resident returns the most memory that this process had, in bytes.
func resident(t *testing.T) int64 {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return int64(used.Maxrss) << 10 //nolint:unconvert // it has 32 bits on some
}

// A command that is called off ends with what it has started.
func TestACommandEndsWhole(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	b := inject.New(cell(plan.Fault{Do: plan.Run, Command: []string{"sh", "-c", `sleep 600 & echo $! > "$0.new"; mv "$0.new" "$0"; wait`, file}}), inject.Options{})
	b.Begin(silent{}, time.Now().Add(-warmup), warmup)
	pid := 0
	poll.Until(t, 20*time.Second, func() bool {
		text, _ := os.ReadFile(file)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		return pid != 0
	}, "the command has not begun")
	heal(b, time.Millisecond)
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	poll.Until(t, 10*time.Second, func() bool { return syscall.Kill(pid, 0) != nil }, "process %d goes on", pid)
}

// The guard knows of a command from its beginning to its end.
func TestACommandIsGuarded(t *testing.T) {
	var guarded []string
	begun := make(chan bool)
	b := inject.New(cell(plan.Fault{Do: plan.Run, Command: []string{"sleep", "0.1"}}), inject.Options{
		Guard: func(left inject.Leftover) (func() error, error) {
			defer close(begun)
			guarded = append(guarded, "runs: "+strconv.FormatBool(left.File == "" && left.Process.Alive()))
			return func() error {
				guarded = append(guarded, "ended: "+strconv.FormatBool(!left.Process.Alive()))
				return nil
			}, nil
		},
	})
	b.Begin(silent{}, time.Now().Add(-warmup), warmup)
	<-begun
	if got := heal(b, time.Minute)[0]; got.Error != "" || strings.Join(guarded, ", ") != "runs: true, ended: true" {
		t.Errorf("got %+v, guarded %q", got, guarded)
	}
}

// A command that the guard does not hear of does not go on.
func TestACommandWithoutAGuardEnds(t *testing.T) {
	var found inject.Leftover
	begun := make(chan bool)
	b := inject.New(cell(plan.Fault{Do: plan.Run, Command: []string{"sleep", "600"}}), inject.Options{
		Guard: func(left inject.Leftover) (func() error, error) {
			defer close(begun)
			found = left
			return nil, errors.New("no guard")
		},
	})
	b.Begin(silent{}, time.Now().Add(-warmup), warmup)
	<-begun
	if got := heal(b, time.Minute)[0]; !strings.Contains(got.Error, "no guard") || found.Process.PID == 0 || found.Process.Alive() {
		t.Errorf("got %+v, process %v", got, found)
	}
}
