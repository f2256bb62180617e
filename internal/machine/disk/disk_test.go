package disk

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// A fake is a file in virtual time.
type fake struct {
	takes           time.Duration // an fdatasync
	fails           int           // which fdatasync fails, from 1; 0: none
	syncs           int
	length, written int64
}

var errBroken = errors.New("the drive is broken")

func (f *fake) WriteAt(b []byte, at int64) (int, error) {
	f.length, f.written = max(f.length, at+int64(len(b))), f.written+int64(len(b))
	return len(b), nil
}

func (f *fake) sync() error {
	time.Sleep(f.takes)
	if f.syncs++; f.syncs == f.fails {
		return errBroken
	}
	return nil
}

// measured measures a fake in virtual time, and returns how long that took.
func measured(t *testing.T, f *fake, size int) (got results.DiskFloor, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		got = measure(t.Context(), f, size)
		took = time.Since(start)
	})
	return got, took
}

func TestTheTimesOfADrive(t *testing.T) {
	f := &fake{takes: 10 * time.Millisecond}
	got, took := measured(t, f, 3000)
	if took != 1080*time.Millisecond || f.length != fillMost || f.written != fillMost+100*3000 {
		t.Errorf("took %v, a file of %d bytes, %d written", took, f.length, f.written)
	}
	if got.Error != "" || got.SizeBytes != 3000 || got.WriteBytesPerS == nil || got.Sync == nil || got.Sync.Count != 100 {
		t.Fatalf("%+v", got)
	}
	if rate := *got.WriteBytesPerS; math.Round(rate) != fillMost/0.08 {
		t.Errorf("%v bytes/s, want 32 MiB in 80 ms", rate)
	}
	if time.Duration(got.Sync.MinNS) != f.takes || time.Duration(got.Sync.MaxNS) != f.takes {
		t.Errorf("%+v, want 10 ms each", got.Sync)
	}
}

// A drive so slow that one operation takes longer than everything may: each loop has one.
func TestASlowDriveIsMeasuredOnce(t *testing.T) {
	f := &fake{takes: 5 * time.Second}
	got, took := measured(t, f, 100)
	if took != 10*time.Second || f.syncs != 2 || f.length != piece || got.Error != "" || got.Sync.Count != 1 {
		t.Errorf("took %v, %d fdatasyncs, %+v", took, f.syncs, got)
	}
}

// Without a drive nothing takes time: the bytes are bounded.
func TestTheBytesAreBounded(t *testing.T) {
	for _, size := range []int{1 << 10, 1 << 20, 16 << 20} {
		f := new(fake)
		got, _ := measured(t, f, size)
		if f.written != fillMost+syncMost || f.length != fillMost || got.Sync.Count != int64(syncMost/size) {
			t.Errorf("size %d: %d bytes written into %d, %d fdatasyncs", size, f.written, f.length, got.Sync.Count)
		}
	}
}

// What was measured before an error is kept.
func TestABrokenDriveIsAnError(t *testing.T) {
	for _, tt := range []struct {
		fails int
		count int64
		rate  bool
	}{{1, 0, false}, {8, 0, false}, {9, 0, true}, {14, 5, true}} {
		got, _ := measured(t, &fake{takes: time.Millisecond, fails: tt.fails}, 100)
		count := int64(0)
		if got.Sync != nil {
			count = got.Sync.Count
		}
		if got.Error != errBroken.Error() || count != tt.count || (got.WriteBytesPerS != nil) != tt.rate {
			t.Errorf("fdatasync %d fails: %+v", tt.fails, got)
		}
	}
}

func TestAnInterruptionEndsIt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := new(fake)
	if got := measure(ctx, f, 100); f.syncs != 1 || got.Error != context.Canceled.Error() || got.Sync != nil {
		t.Errorf("%d fdatasyncs, %+v", f.syncs, got)
	}
}

// On a real file system, nothing is left.
func TestMeasure(t *testing.T) {
	folder := t.TempDir()
	got := Measure(t.Context(), folder, 1024)
	if got.Error != "" || got.SizeBytes != 1024 || got.Sync == nil || got.Sync.Count == 0 || got.WriteBytesPerS == nil || *got.WriteBytesPerS <= 0 {
		t.Errorf("%+v", got)
	}
	empty(t, folder)
}

// The file has no name while it is measured: nothing is left if this process is killed meanwhile.
func TestNothingHasANameMeanwhile(t *testing.T) {
	folder, done := t.TempDir(), make(chan results.DiskFloor)
	go func() { done <- Measure(t.Context(), folder, 1024) }()
	seen := 0
	for {
		select {
		case got := <-done:
			if got.Error != "" || seen > 1 { // one look may come before it is removed
				t.Errorf("seen %d times, %+v", seen, got)
			}
			return
		case <-time.After(50 * time.Millisecond):
			list, _ := os.ReadDir(folder)
			seen += len(list)
		}
	}
}

// empty fails the test if something is in a folder.
func empty(t *testing.T, folder string) {
	t.Helper()
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// oneLine fails the test unless a measurement ended with an error of one line that names the folder.
func oneLine(t *testing.T, got results.DiskFloor, folder string) {
	t.Helper()
	if got.Sync != nil || !strings.Contains(got.Error, folder) || strings.Contains(got.Error, "\n") {
		t.Errorf("%+v", got)
	}
}

func TestAFolderThatIsGone(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	oneLine(t, Measure(t.Context(), gone, 1024), gone)
}
