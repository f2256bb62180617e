package guardian

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/brokerbench/brokerbench/internal/mounts"
)

// unmount unmounts what is mounted at a folder or in it. What is still in use goes when it is no
// more: its users have been killed.
func unmount(folder string) error {
	list, err := mounts.Below(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, m := range list {
		if err := unix.Unmount(m.At, unix.MNT_DETACH); err != nil {
			errs = append(errs, fmt.Errorf("unmounting %s: %w", m.At, err))
		}
	}
	return errors.Join(errs...)
}
