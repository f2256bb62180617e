//go:build linux

package histogram

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Of a resident histogram the kernel has given every page before the first value is recorded.
// Of one that is not resident it has given few, or the test shows nothing.
func TestResidentHistogramHasAllOfItsPages(t *testing.T) {
	debug.FreeOSMemory() // else New may get pages that earlier tests have left
	resident, all := givenPages(t, NewResident())
	other, _ := givenPages(t, New())
	t.Logf("%d of %d pages are there, and %d of a histogram that is not resident", resident, all, other)
	if resident != all {
		t.Errorf("%d of %d pages are there before the first value", resident, all)
	}
	if other > all/2 {
		t.Errorf("%d of %d pages are there of a histogram that is not resident: nothing is shown", other, all)
	}
}

// givenPages returns how many of the pages that are wholly h's counts the kernel has given,
// and how many there are.
func givenPages(t *testing.T, h *Histogram) (given, all int) {
	t.Helper()
	page := os.Getpagesize()
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(h.counts))), len(h.counts)*8)
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(bytes)))) & (page - 1)
	bytes = bytes[skip : skip+(len(bytes)-skip)/page*page]
	there := make([]byte, len(bytes)/page)
	_, _, failed := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(unsafe.SliceData(bytes))),
		uintptr(len(bytes)), uintptr(unsafe.Pointer(unsafe.SliceData(there))))
	runtime.KeepAlive(h)
	if failed != 0 {
		t.Fatal("mincore: ", failed)
	}
	for _, b := range there {
		given += int(b & 1)
	}
	return given, len(there)
}
