//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/analysis"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/results"
)

// unread returns a pipe that is full and that nobody reads.
func unread(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(); _ = w.Close() })
	_ = w.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	for err == nil {
		_, err = w.Write(make([]byte, 4096))
	}
	_ = w.SetWriteDeadline(time.Time{})
	return w
}

// ends runs the command line, and wants it to end within that time.
func ends(t *testing.T, within time.Duration, s command.Streams, args ...string) (code int) {
	t.Helper()
	s.Brokers = brokers.All()
	ended := make(chan int, 1)
	go func() { ended <- Main(args, s) }()
	select {
	case code = <-ended:
	case <-time.After(within):
		t.Fatalf("it has not ended after %v", within)
	}
	return code
}

// wantComplete wants all files of a run of one cell.
func wantComplete(t *testing.T, out string, interrupted bool) {
	t.Helper()
	dir := onlyFolder(t, out)
	store, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	run, err := store.Run()
	if err != nil || run.Finished.IsZero() || run.Interrupted != interrupted || len(run.Cells) != 1 {
		t.Errorf("%+v, %v", run, err)
	}
	for _, name := range []string{results.CellFile, results.IntervalsFile, results.ResponseFile, results.ServiceFile} {
		if _, err := os.Stat(filepath.Join(store.Cell(run.Cells[0].ID).Dir(), name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, analysis.ReportFile)); err != nil {
		t.Error(err)
	}
}

// allWritten reports whether the last files of a run are there: its end, and its page.
func allWritten(out string) bool {
	pages, _ := filepath.Glob(filepath.Join(out, "*", analysis.ReportFile))
	if len(pages) == 0 {
		return false
	}
	store, err := results.Open(filepath.Dir(pages[0]))
	if err != nil {
		return false
	}
	run, err := store.Run()
	return err == nil && !run.Finished.IsZero()
}

// Who does not read what is said holds up nothing: not a line of progress, not the
// reason of a verdict, not the notes of an interrupt.
func TestAnUnreadStandardErrorHoldsUpNothing(t *testing.T) {
	for _, mode := range []string{"auto", "json"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			var stdout noise
			code := ends(t, 40*time.Second, command.Streams{Out: &stdout, Err: unread(t)},
				"run", "loopback:?drop=0.1", "--progress", mode, "--floor", "off", "--out", out,
				"--rate", "100", "--duration", "2s", "--warmup", "0s", "--timeout", "200ms")
			if code != command.ExitInvalid || stdout == 0 {
				t.Errorf("exit code %d, %d B of results", code, stdout)
			}
			wantComplete(t, out, false)
		})
	}
}

// Results wait for their reader, with all files written, until an interrupt.
func TestAnInterruptEndsAnUnreadStandardOutput(t *testing.T) {
	out := t.TempDir()
	end := beside(func(ended <-chan struct{}) {
		if holds(func() bool { return allWritten(out) }, ended) {
			sendSelf(t, syscall.SIGTERM)
		}
	})
	code := ends(t, 40*time.Second, command.Streams{Out: unread(t), Err: new(noise)},
		"run", "loopback:", "--floor", "off", "--out", out, "--rate", "100", "--duration", "1s", "--warmup", "0s")
	end()
	if code != command.ExitError {
		t.Errorf("exit code %d", code)
	}
	wantComplete(t, out, false)
}

// A reader that has seen enough, such as head, is no error to speak of.
func TestAReaderThatLeavesIsNoError(t *testing.T) {
	for _, line := range []string{"brokers", "list", "run loopback: --floor off --rate 100 --duration 300ms --warmup 0s -q"} {
		t.Run(line, func(t *testing.T) {
			t.Chdir(t.TempDir())
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			_ = r.Close()
			var stderr strings.Builder
			code := Main(strings.Fields(line), command.Streams{Out: w, Err: &stderr, Brokers: brokers.All()})
			if code != 128+int(syscall.SIGPIPE) || strings.Contains(stderr.String(), "pipe") || strings.Contains(stderr.String(), "printing") {
				t.Errorf("exit code %d, said %q", code, stderr.String())
			}
		})
	}
}

// noise counts the bytes that are written.
type noise int

func (n *noise) Write(p []byte) (int, error) {
	*n += noise(len(p))
	return len(p), nil
}
