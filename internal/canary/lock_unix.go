//go:build linux || darwin

package canary

import (
	"os"
	"syscall"
)

// lock makes this process the only one that writes to a folder, until the file is closed.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
