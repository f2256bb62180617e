package guardian

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// adopt makes this process the parent of what its children leave behind, such as daemons, or
// no longer: so it can end them.
func adopt(on bool) {
	value := uintptr(0)
	if on {
		value = 1
	}
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, value, 0, 0, 0) // older kernels have no such thing
}

// ofChild starts a process in its own session, which no terminal reaches, and has the kernel kill
// the process if the guardian itself is killed.
func ofChild() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// childrenEnd sends when a child has ended.
func childrenEnd(to chan<- os.Signal) { signal.Notify(to, syscall.SIGCHLD) }

// unmount detaches the mounts at a folder and below it. A mount that is still in use goes away
// when its last user, which has been killed, is gone.
func unmount(folder string) error {
	list, err := process.MountsBelow(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, m := range list {
		if err := unix.Unmount(m.MountPoint, unix.MNT_DETACH); err != nil {
			errs = append(errs, fmt.Errorf("unmounting %s: %w", m.MountPoint, err))
		}
	}
	return errors.Join(errs...)
}
