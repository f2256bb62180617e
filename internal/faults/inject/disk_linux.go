package inject

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// least is the smallest piece that is tried: a block.
const least = 4096

// fillUp makes a file take all that is free on its disk, also what is reserved for root if
// this process is root's.
func fillUp(f *os.File) error {
	var disk syscall.Statfs_t
	if err := syscall.Fstatfs(int(f.Fd()), &disk); err != nil {
		return fmt.Errorf("filling %s: %w", f.Name(), err)
	}
	size, end := int64(disk.Bfree)*disk.Bsize, int64(0)
	for size >= least {
		switch err := syscall.Fallocate(int(f.Fd()), 0, end, size); {
		case err == nil:
			end += size
		case errors.Is(err, syscall.ENOSPC):
			size /= 2
		case errors.Is(err, syscall.EINTR):
		default:
			return fmt.Errorf("filling %s: %w", f.Name(), err)
		}
	}
	return nil
}
