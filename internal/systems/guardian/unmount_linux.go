package guardian

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// unmount detaches the mounts at a folder and below it. A mount that is still in use goes away
// when its last user, which has been killed, is gone.
func unmount(folder string) error {
	list, err := process.MountsBelow(folder)
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
