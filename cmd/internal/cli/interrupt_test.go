//go:build linux

package cli

import (
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/results"
)

// stopped stops a NATS server for good once a run of large messages has logged a second,
// and runs with the arguments. Two messages fill what is in flight, and the next ones the
// socket: Request blocks. Then it calls next, if that is not nil.
func stopped(t *testing.T, errs *hearing, next func(ended <-chan struct{}), args ...string) (code int, cell *results.Cell, took time.Duration) {
	t.Helper()
	s := server(t)
	t.Cleanup(func() { _ = syscall.Kill(s.PID, syscall.SIGCONT) }) // so that it can be ended
	out := t.TempDir()
	end := beside(func(ended <-chan struct{}) {
		if !loggedASecond(out, ended) {
			return
		}
		if err := syscall.Kill(s.PID, syscall.SIGSTOP); err != nil {
			t.Error(err)
		}
		if next != nil {
			next(ended)
		}
	})
	start := time.Now()
	code = Main(append([]string{
		"run", s.URL, "--quiet", "--floor", "off", "--out", out,
		"--size", "512KiB", "--rate", "50", "--in-flight", "2", "--warmup", "0s", "--timeout", "500ms",
	}, args...), command.Streams{In: strings.NewReader(""), Out: io.Discard, Err: errs, Brokers: brokers.All()})
	took = time.Since(start)
	end()
	cell, err := results.OpenCell(onlyFolder(t, filepath.Join(onlyFolder(t, out), results.CellsFolder))).Read()
	if err != nil {
		t.Fatal(err)
	}
	return code, cell, took
}

func TestABrokerThatStopsForGoodEndsNoLater(t *testing.T) {
	var errs hearing
	code, cell, took := stopped(t, &errs, nil, "--duration", "4s")
	wantCode(t, code, command.ExitInvalid, errs.String())
	// Each connection's Teardown may take its time, too.
	if l := cell.Ledger; took > 15*time.Second || l.Due != 200 || l.Done == 0 || l.Lost+l.Unsent+l.Failed == 0 {
		t.Errorf("%v, ledger %+v", took, cell.Ledger)
	}
}

// Without the second, the cell would end a second after the first.
func TestTheSecondInterruptKeepsWhatThereIsAtOnce(t *testing.T) {
	const atOnce = 500 * time.Millisecond
	var took time.Duration
	for range 5 { // a busy machine may be late
		if took = interruptedTwice(t); took <= atOnce {
			break
		}
	}
	if took > atOnce {
		t.Errorf("%v after the second Ctrl-C", took)
	}
}

// interruptedTwice wants a cell that two interrupts end to be kept, and returns how long
// after the second that was.
func interruptedTwice(t *testing.T) (took time.Duration) {
	t.Helper()
	var first, second time.Time
	noted := make(chan struct{})
	errs := &hearing{text: "stopping: late replies", do: func() { close(noted) }}
	code, cell, _ := stopped(t, errs, func(ended <-chan struct{}) {
		time.Sleep(1500 * time.Millisecond) // the socket is full
		first = time.Now()
		sendSelf(t, syscall.SIGINT)
		select {
		case <-ended:
			return
		case <-noted: // else both may be one
		}
		time.Sleep(100 * time.Millisecond)
		second = time.Now()
		sendSelf(t, syscall.SIGINT)
	}, "--duration", "1m", "--timeout", "1m")
	now := time.Now()
	wantCode(t, code, command.ExitInterrupted, errs.String())
	due := func(at time.Time) int64 { return int64(50 * at.Sub(cell.Started).Seconds()) }
	if l := cell.Ledger; !cell.Interrupted || l.Due < due(first)-50 || l.Due > due(now)+50 || l.Done == 0 || l.Done+l.Failed+l.Lost+l.Unsent != l.Due {
		t.Errorf("interrupted %v, ledger %+v, want about %d due", cell.Interrupted, l, due(first))
	}
	return now.Sub(second)
}

// A terminal or an ssh session that closes interrupts as Ctrl-C does.
func TestTheEndOfTheTerminalKeepsTheCell(t *testing.T) {
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP) // the tests may be under nohup, where it is ignored
	defer signal.Stop(heard)
	out := t.TempDir()
	end := signalASecondLater(t, out, syscall.SIGHUP)
	code, _, stderr := invoke("run", "loopback:", "--quiet", "--floor", "off", "--out", out, "--rate", "100", "--warmup", "0s", "--duration", "1m")
	end()
	wantCode(t, code, command.ExitInterrupted, stderr)
	cell, err := results.OpenCell(onlyFolder(t, filepath.Join(onlyFolder(t, out), results.CellsFolder))).Read()
	if err != nil || !cell.Interrupted || cell.Ledger.Done < 50 {
		t.Errorf("%+v, %v", cell, err)
	}
}

// An adapter that answers nothing has 30 s for its first answer, but not after Ctrl-C.
func TestAnInterruptedAdapterTest(t *testing.T) {
	file := filepath.Join(t.TempDir(), "started")
	end := beside(func(ended <-chan struct{}) {
		if holds(func() bool { _, err := os.Stat(file); return err == nil }, ended) {
			sendSelf(t, syscall.SIGINT)
		}
	})
	start := time.Now()
	code, stdout, stderr := invoke("adapter", "test", "sh", "-c", "touch '"+file+"'; exec sleep 60")
	end()
	if took := time.Since(start); code != command.ExitInterrupted || took > 20*time.Second || stdout != "" {
		t.Errorf("%d after %v, %q, %q", code, took, stdout, stderr)
	}
}
