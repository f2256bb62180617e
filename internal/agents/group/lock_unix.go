//go:build linux || darwin

package group

import (
	"errors"
	"os"
	"syscall"
)

// lockFile locks a file until it is closed; the error is errHeld if another process has it.
func lockFile(f *os.File) error {
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return errHeld
	case errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.EOPNOTSUPP):
		return nil // a file system without locks
	default:
		return err
	}
}
