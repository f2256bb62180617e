//go:build unix

package child

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
)

// ownGroup puts the child into a process group of its own: a Ctrl-C in the
// terminal reaches brokerbench, which still needs the child to finish the cell
// under way, but not the child.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func signalStop(pid int) error     { return syscall.Kill(pid, syscall.SIGSTOP) }
func signalContinue(pid int) error { return syscall.Kill(pid, syscall.SIGCONT) }

// awaitStop waits until every thread of a process has stopped, which takes until
// each has been scheduled once; where there is no /proc, or after a second, it gives
// up.
func awaitStop(pid int) {
	for range 1000 {
		threads, err := procfs.AllThreads(pid)
		if err != nil || !slices.ContainsFunc(threads, runs) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// runs tells whether a thread is neither stopped nor gone.
func runs(thread procfs.Proc) bool {
	stat, err := thread.Stat()
	return err == nil && stat.State != "T"
}

// check refuses a pid that must not be paused.
func check(pid int) error {
	switch {
	case pid <= 1: // 0 and below name groups of processes, 1 is init
		return fmt.Errorf("pid %d: want the pid of the broker", pid)
	case pid == os.Getpid():
		return fmt.Errorf("pid %d is brokerbench itself: want the pid of the broker", pid)
	case pid == os.Getppid():
		return fmt.Errorf("pid %d is what started brokerbench: want the pid of the broker", pid)
	}
	err := syscall.Kill(pid, 0)
	if errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("pid %d: there is no such process", pid)
	}
	if os.Getuid() == 0 {
		return nil
	}
	if owner, known := ownerOf(pid); errors.Is(err, syscall.EPERM) || known && owner != os.Getuid() {
		return fmt.Errorf("pid %d belongs to another user: only root may pause it", pid)
	}
	return err
}

// ownerOf returns the real user of a process, if the system has /proc.
func ownerOf(pid int) (uid int, known bool) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return 0, false
	}
	status, err := p.NewStatus()
	return int(status.UIDs[0]), err == nil
}
