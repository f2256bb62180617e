package traffic

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

const ownNamespace = "/proc/thread-self/ns/net"

// dial opens a diag in a network namespace, in which there were processes of those pids.
// Another one than this process's needs the right to enter it. If none of them is there any
// more, the error is errGone.
func dial(name string, pids []int) (*diag, error) {
	if own, err := os.Readlink(ownNamespace); err == nil && own == name {
		return newDiag()
	}
	for _, pid := range pids {
		if there, err := namespaceOf(pid); err != nil || there != name {
			continue
		}
		var d *diag
		failed := make(chan error)
		go func() { failed <- inNamespace(pid, func() (err error) { d, err = newDiag(); return err }) }()
		return d, <-failed
	}
	return nil, errGone
}

// namespaceOf returns the name of the network namespace of a process.
func namespaceOf(pid int) (string, error) { return os.Readlink(fmt.Sprintf("/proc/%d/ns/net", pid)) }

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

// dialled are what was opened for one call, by namespace.
type dialled map[string]line

// A line is a diag, or why there is none.
type line struct {
	*diag
	err error
}

// ask returns what a connection has carried now. The error of one that has ended is errGone.
// After another one nothing more is asked there: the answer to this question might be taken for
// that to the next one, and each might be waited for.
func (all dialled) ask(c connection) (Bytes, error) {
	l, tried := all[c.place]
	if !tried {
		l.diag, l.err = dial(c.place, c.pids)
		all[c.place] = l
	}
	if l.err != nil {
		return Bytes{}, l.err
	}
	now, err := l.one(c)
	if err != nil && !errors.Is(err, errGone) {
		l.close()
		all[c.place] = line{err: err}
	}
	return now, err
}

func (all dialled) close() {
	for _, l := range all {
		if l.err == nil {
			l.close()
		}
	}
}
