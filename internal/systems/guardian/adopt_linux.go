package guardian

import (
	"syscall"

	"golang.org/x/sys/unix"
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
