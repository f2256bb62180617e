package traffic

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

const ownNamespace = "/proc/thread-self/ns/net"

// dial opens a diag in a network namespace, which has a process of that pid. Another one than
// this process's needs the right to enter it.
func dial(name string, pid int) (*diag, error) {
	if own, err := os.Readlink(ownNamespace); err == nil && own == name {
		return newDiag()
	}
	var d *diag
	failed := make(chan error)
	go func() { failed <- inNamespace(pid, func() (err error) { d, err = newDiag(); return err }) }()
	return d, <-failed
}

// inNamespace calls f on a thread that is in the network namespace of a process. It has to be
// called on a goroutine of its own: the thread ends with it if it cannot go back.
func inNamespace(pid int, f func() error) error {
	runtime.LockOSThread()
	own, err := os.Open(ownNamespace)
	if err != nil {
		return err
	}
	defer own.Close()
	other, err := os.Open(fmt.Sprintf("/proc/%d/ns/net", pid))
	if err != nil {
		return err
	}
	defer other.Close()
	if err := unix.Setns(int(other.Fd()), unix.CLONE_NEWNET); err != nil {
		return err
	}
	err = f()
	if back := unix.Setns(int(own.Fd()), unix.CLONE_NEWNET); back != nil {
		return err
	}
	runtime.UnlockOSThread()
	return err
}

// dialled are what was opened for one call, by namespace; nil if it could not be.
type dialled map[string]*diag

// ask returns what a connection has carried now.
func (all dialled) ask(c connection) (Bytes, error) {
	d, tried := all[c.place]
	if !tried {
		d, _ = dial(c.place, c.pid)
		all[c.place] = d
	}
	if d == nil {
		return Bytes{}, errGone
	}
	return d.one(c)
}

func (all dialled) close() {
	for _, d := range all {
		if d != nil {
			d.close()
		}
	}
}
