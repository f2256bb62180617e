//go:build linux

package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results"
)

// small mounts a disk of 256 KiB, which only root may.
func small(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("a small disk cannot be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill takes all space but so much.
func fill(t *testing.T, dir string, but int64) {
	t.Helper()
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		t.Error(err)
		return
	}
	free := int64(disk.Bavail) * disk.Bsize
	err := os.WriteFile(filepath.Join(dir, "fill"), make([]byte, max(free-but, 0)), 0o600)
	if err != nil && !errors.Is(err, syscall.ENOSPC) { // else somebody wrote meanwhile: it is full all the same
		t.Error(err)
	}
}

// outOn is the folder of results on the disk.
func outOn(dir string) string { return filepath.Join(dir, "out") }

// runOnDisk measures for seven seconds into a folder of the disk.
func runOnDisk(t *testing.T, dir string) (code int, cell *results.CellFolder, run results.Run, stderr string) {
	t.Helper()
	out := outOn(dir)
	code, _, stderr = invoke("run", "loopback:", "--quiet", "--floor", "off", "--report", "off", "--out", out,
		"--rate", "1000", "--warmup", "0s", "--duration", "7s")
	folder := onlyFolder(t, out)
	store, err := results.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	run, err = store.Run()
	if err != nil {
		t.Fatal(err)
	}
	return code, store.Cell(run.Cells[0].ID), run, stderr
}

func TestADiskThatWasFullForAWhileLeavesWholeLines(t *testing.T) {
	dir := small(t)
	end := beside(func(ended <-chan struct{}) {
		if !loggedASecond(outOn(dir), ended) {
			return
		}
		fill(t, dir, 0)
		time.Sleep(3 * time.Second) // lines of some seconds are left out
		_ = os.Remove(filepath.Join(dir, "fill"))
	})
	code, folder, run, stderr := runOnDisk(t, dir)
	end()
	wantCode(t, code, command.ExitError, stderr, "intervals.hlog", "no space left on device", "lines are left out")
	if strings.Count(stderr, "no space left") != 1 {
		t.Errorf("not said once:\n%s", stderr)
	}
	cell, err := folder.Read()
	if err != nil {
		t.Fatal(err)
	}
	if s := cell.ShortLog; s == nil || s.LeftOut == 0 || s.Lines == 0 || !strings.Contains(s.Cause, "no space left") {
		t.Errorf("%+v", s)
	}
	if run.Finished.IsZero() || cell.Ledger.Done != 7000 {
		t.Errorf("finished %v, ledger %+v", run.Finished, cell.Ledger)
	}
	text, err := os.ReadFile(filepath.Join(folder.Dir(), results.IntervalsFile))
	if err != nil {
		t.Fatal(err)
	}
	log, err := histogram.ReadLog(strings.NewReader(string(text)))
	if err != nil || log.Truncated || int64(len(log.Entries)) != cell.ShortLog.Lines {
		t.Errorf("%d entries, cut %v, %v; want %+v", len(log.Entries), log.Truncated, err, cell.ShortLog)
	}
}

func TestADiskThatIsFullFromTheStartIsNamed(t *testing.T) {
	dir := small(t)
	fill(t, dir, 5000) // enough for the first run.json
	code, folder, run, stderr := runOnDisk(t, dir)
	wantCode(t, code, command.ExitError, stderr, "no space left on device", "run.json", "it has no end time, and not what became of every cell", "free some space")
	if !run.Finished.IsZero() {
		t.Errorf("finished %v", run.Finished)
	}
	if left, err := os.ReadFile(filepath.Join(folder.Dir(), results.IntervalsFile)); err == nil && len(left) > 0 && !strings.HasSuffix(string(left), "\n") {
		t.Errorf("the log ends in half a line: %q", left[max(0, len(left)-50):])
	}
}
