//go:build linux || darwin

package agent

import (
	"errors"
	"os"
	"syscall"
)

// noFollow opens no link, which another user could have put into a common folder.
const noFollow = syscall.O_NOFOLLOW

// lock locks a file until it is closed, alone or with others; the error is errShared if another process
// prevents that.
func lock(f *os.File, alone bool) error {
	how := syscall.LOCK_SH
	if alone {
		how = syscall.LOCK_EX
	}
	switch err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return errShared
	case errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.EOPNOTSUPP):
		return nil // a file system without locks
	default:
		return err
	}
}
