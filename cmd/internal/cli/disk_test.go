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

// free removes what fill wrote.
func free(dir string) { _ = os.Remove(filepath.Join(dir, "fill")) }

// wantWhole wants a cell with every message, and a log with every line.
func wantWhole(t *testing.T, folder *results.CellFolder, run results.Run) {
	t.Helper()
	cell, err := folder.Read()
	if err != nil {
		t.Fatal(err)
	}
	if cell.ShortLog != nil || run.Finished.IsZero() || run.Cells[0].Error != "" || cell.Ledger.Done != 7000 {
		t.Errorf("%+v, finished %v, %q, ledger %+v", cell.ShortLog, run.Finished, run.Cells[0].Error, cell.Ledger)
	}
	text, err := os.ReadFile(filepath.Join(folder.Dir(), results.IntervalsFile))
	if err != nil {
		t.Fatal(err)
	}
	log, err := histogram.ReadLog(strings.NewReader(string(text)))
	if err != nil || log.Truncated {
		t.Fatalf("cut %v, %v", log.Truncated, err)
	}
	count := int64(0)
	for _, e := range log.Entries {
		if e.Tag == "response" {
			count += e.Histogram.Count()
		}
	}
	if count != 7000 {
		t.Errorf("%d response times in the log", count)
	}
	usage, err := folder.ReadUsage()
	until := int64(0)
	for _, u := range usage {
		if u.FromNS != until {
			t.Errorf("no resources from %v to %v", time.Duration(until), time.Duration(u.FromNS))
		}
		until = u.ToNS
	}
	if err != nil || time.Duration(until) < 6999*time.Millisecond { // the last message was due then
		t.Errorf("resources until %v, %v", time.Duration(until), err)
	}
}

// runOnDiskThatIsFull is runOnDisk on a disk that is full for so long, from the first lines of the log on.
func runOnDiskThatIsFull(t *testing.T, dir string, long time.Duration) (code int, cell *results.CellFolder, run results.Run, stderr string) {
	t.Helper()
	end := beside(func(ended <-chan struct{}) {
		if !loggedASecond(outOn(dir), ended) {
			return
		}
		fill(t, dir, 0)
		time.Sleep(long)
		free(dir)
	})
	defer end()
	return runOnDisk(t, dir)
}

func TestADiskThatWasFullForAWhileLosesNothing(t *testing.T) {
	t.Parallel()
	code, folder, run, stderr := runOnDiskThatIsFull(t, small(t), 3*time.Second) // lines of some seconds are held
	wantCode(t, code, command.ExitGood, stderr)
	wantWhole(t, folder, run)
}

// A disk that is full when a run ends: the folder is named once, and all is written when there is space.
func TestADiskThatIsFullAtTheEnd(t *testing.T) {
	t.Parallel()
	dir := small(t)
	code, folder, run, stderr := runOnDiskThatIsFull(t, dir, 9*time.Second) // two of them after the window
	wantCode(t, code, command.ExitGood, stderr, "no space left on device", outOn(dir), "free some space there")
	if strings.Count(stderr, "no space left") != 1 {
		t.Errorf("not said once:\n%s", stderr)
	}
	wantWhole(t, folder, run)
}

func TestADiskThatIsFullFromTheStart(t *testing.T) {
	t.Parallel()
	dir := small(t)
	fill(t, dir, 5000) // enough for the first run.json
	end := beside(func(ended <-chan struct{}) {
		select {
		case <-ended:
		case <-time.After(9 * time.Second):
			free(dir)
		}
	})
	code, folder, run, stderr := runOnDisk(t, dir)
	end()
	wantCode(t, code, command.ExitGood, stderr, "no space left on device", "free some space there")
	wantWhole(t, folder, run)
}

// A user who gives up on a full disk gets an error that names each file that is missing.
func TestADiskThatStaysFull(t *testing.T) {
	dir := small(t)
	fill(t, dir, 5000)
	end := beside(func(ended <-chan struct{}) {
		for _, after := range []time.Duration{9 * time.Second, 2 * time.Second} {
			select {
			case <-ended:
			case <-time.After(after):
				sendSelf(t, syscall.SIGINT)
			}
		}
	})
	code, folder, run, stderr := runOnDisk(t, dir)
	end()
	wantCode(t, code, command.ExitInterrupted, stderr, "free some space there", results.RunFile, results.CellFile, "it has no end time, and not what became of every cell")
	if !run.Finished.IsZero() {
		t.Errorf("finished %v", run.Finished)
	}
	if left, err := os.ReadFile(filepath.Join(folder.Dir(), results.IntervalsFile)); err == nil && len(left) > 0 && !strings.HasSuffix(string(left), "\n") {
		t.Errorf("the log ends in half a line: %q", left[max(0, len(left)-50):])
	}
}
