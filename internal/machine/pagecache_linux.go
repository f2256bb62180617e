package machine

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// DropPageCache writes dirty pages of all files to the disks, and drops the page cache of this machine. It
// needs root.
func DropPageCache() error {
	unix.Sync()
	if err := os.WriteFile("/proc/sys/vm/drop_caches", []byte("1\n"), 0); err != nil {
		return fmt.Errorf("dropping the page cache needs root: %w", err)
	}
	return nil
}
