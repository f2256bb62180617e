package disk

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// mounted mounts a file system of a megabyte in memory for a test.
func mounted(t *testing.T, flags uintptr) (folder string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a file system")
	}
	folder = t.TempDir()
	if err := unix.Mount("none", folder, "tmpfs", flags, "size=1m"); err != nil {
		t.Skipf("nothing can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(folder, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return folder
}

func TestAFullDisk(t *testing.T) {
	folder := mounted(t, 0)
	oneLine(t, Measure(t.Context(), folder, 1024), folder)
	empty(t, folder)
}

func TestAReadOnlyFileSystem(t *testing.T) {
	folder := mounted(t, unix.MS_RDONLY)
	oneLine(t, Measure(t.Context(), folder, 1024), folder)
}
