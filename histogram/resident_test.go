//go:build linux

package histogram

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Recording a value of any size faults no page of a resident histogram. Of one that is not
// resident each page is faulted, or the test shows nothing.
func TestRecordingFaultsNoPage(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	debug.FreeOSMemory() // else New may get pages that earlier tests have left
	resident, other := faults(t, NewResident()), faults(t, New())
	t.Logf("%d pages faulted, %d of a histogram that is not resident", resident, other)
	if resident > 8 {
		t.Errorf("%d pages faulted while recording", resident)
	}
	if other < 32 {
		t.Errorf("%d pages faulted of a histogram that is not resident: nothing is shown", other)
	}
}

// faults records a value of each bucket, and returns how many pages this thread faulted.
func faults(t *testing.T, h *Histogram) int64 {
	t.Helper()
	before := pageFaults(t)
	for v := time.Duration(1); v < Highest; v += 1 + v/1000 {
		h.Record(v)
	}
	return pageFaults(t) - before
}

func pageFaults(t *testing.T) int64 {
	t.Helper()
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &usage); err != nil {
		t.Fatal(err)
	}
	return usage.Minflt
}
