//go:build linux || darwin

package guardian

import (
	"fmt"
	"os"
	"syscall"
)

// lock makes this process the owner of a journal, unless another is.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// mine refuses a journal that somebody else may have written: its commands would be run.
func mine(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if s, ok := info.Sys().(*syscall.Stat_t); !ok || int(s.Uid) != os.Geteuid() || info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s: another user may have written it: look at it, and remove it", f.Name())
	}
	return nil
}
