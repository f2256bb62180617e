//go:build linux

package cli

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// stopped stops a NATS server for good once a run of large messages has begun, and
// runs with the arguments. Two messages fill what is in flight, and the next ones the
// socket: Request blocks.
func stopped(t *testing.T, args ...string) (code int, cell *results.Cell, took time.Duration, stderr string) {
	t.Helper()
	s := server(t)
	t.Cleanup(func() { _ = syscall.Kill(s.PID, syscall.SIGCONT) }) // so that it can be ended
	time.AfterFunc(1500*time.Millisecond, func() { _ = syscall.Kill(s.PID, syscall.SIGSTOP) })
	out := t.TempDir()
	start := time.Now()
	code, _, stderr = command(append([]string{
		"run", s.URL, "--quiet", "--floor", "off", "--out", out,
		"--size", "512KiB", "--rate", "50", "--in-flight", "2", "--warmup", "0s", "--timeout", "500ms",
	}, args...)...)
	took = time.Since(start)
	cell, err := results.OpenCell(onlyFolder(t, filepath.Join(onlyFolder(t, out), results.CellsFolder))).Read()
	if err != nil {
		t.Fatal(err)
	}
	return code, cell, took, stderr
}

func TestABrokerThatStopsForGoodEndsNoLater(t *testing.T) {
	code, cell, took, stderr := stopped(t, "--duration", "3s")
	wantCode(t, code, exitInvalid, stderr)
	// Each connection's Teardown may take its time, too.
	if l := cell.Ledger; took > 15*time.Second || l.Due != 150 || l.Done == 0 || l.Lost+l.Unsent+l.Failed == 0 {
		t.Errorf("%v, ledger %+v", took, cell.Ledger)
	}
}

func TestTheSecondInterruptKeepsWhatThereIsAtOnce(t *testing.T) {
	var second time.Time
	interrupt := func() { _ = syscall.Kill(os.Getpid(), syscall.SIGINT) }
	time.AfterFunc(4*time.Second, interrupt)
	time.AfterFunc(4500*time.Millisecond, func() {
		second = time.Now()
		interrupt()
	})
	code, cell, _, stderr := stopped(t, "--duration", "1m", "--timeout", "1m")
	wantCode(t, code, exitInterrupted, stderr)
	if took := time.Since(second); second.IsZero() || took > 2*time.Second {
		t.Errorf("%v after the second Ctrl-C", took)
	}
	if l := cell.Ledger; !cell.Interrupted || l.Due < 150 || l.Due > 250 || l.Done == 0 || l.Done+l.Failed+l.Lost+l.Unsent != l.Due {
		t.Errorf("interrupted %v, ledger %+v", cell.Interrupted, l)
	}
}

// A terminal or an ssh session that closes interrupts as Ctrl-C does.
func TestTheEndOfTheTerminalKeepsTheCell(t *testing.T) {
	time.AfterFunc(time.Second, func() { _ = syscall.Kill(os.Getpid(), syscall.SIGHUP) })
	out := t.TempDir()
	code, _, stderr := command("run", "loopback:", "--quiet", "--floor", "off", "--out", out, "--rate", "100", "--warmup", "0s", "--duration", "1m")
	wantCode(t, code, exitInterrupted, stderr)
	cell, err := results.OpenCell(onlyFolder(t, filepath.Join(onlyFolder(t, out), results.CellsFolder))).Read()
	if err != nil || !cell.Interrupted || cell.Ledger.Done < 50 {
		t.Errorf("%+v, %v", cell, err)
	}
}
