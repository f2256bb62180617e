//go:build unix

package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
)

// Find returns the process of that number; ok is false if it does not run.
func Find(pid int) (id ID, ok bool) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return ID{PID: pid}, !hasProc() && exists(pid)
	}
	stat, err := p.Stat()
	return ID{pid, stat.Starttime}, err == nil && !ended(stat.State)
}

// ended reports whether a process in that state only waits to be reaped.
func ended(state string) bool { return state == "Z" || state == "X" }

// Alive reports whether the process still exists; it may be stopped.
func (id ID) Alive() bool {
	now, ok := Find(id.PID)
	return ok && now.Started == id.Started
}

// Kill sends SIGKILL. To a process that is gone it does nothing, as Continue and
// Terminate.
func (id ID) Kill() error { return id.signal(syscall.SIGKILL) }

// Continue sends SIGCONT.
func (id ID) Continue() error { return id.signal(syscall.SIGCONT) }

// Terminate sends SIGTERM.
func (id ID) Terminate() error { return id.signal(syscall.SIGTERM) }

// Stop sends SIGSTOP. A process that is gone is an error.
func (id ID) Stop() error {
	if !id.Alive() {
		return fmt.Errorf("pid %d: the process has ended", id.PID)
	}
	return id.signal(syscall.SIGSTOP)
}

func (id ID) signal(s syscall.Signal) error {
	if !id.Alive() {
		return nil
	}
	err := syscall.Kill(id.PID, s)
	switch {
	case errors.Is(err, syscall.ESRCH):
		return nil
	case err != nil:
		return fmt.Errorf("pid %d: %v: %w", id.PID, s, err)
	}
	return nil
}

// AwaitStopped waits until every thread of a process has stopped, which takes until
// each has been scheduled once. Without /proc, or after a second, it gives up.
func AwaitStopped(pid int) {
	for range 1000 {
		threads, err := procfs.AllThreads(pid)
		if err != nil || !slices.ContainsFunc(threads, runs) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// runs reports whether a thread is neither stopped nor gone.
func runs(thread procfs.Proc) bool {
	stat, err := thread.Stat()
	return err == nil && stat.State != "T" && !ended(stat.State)
}

// A Tree has the children of each process that runs, by its pid.
type Tree map[int][]ID

// perPause is how many processes are read between two calls of pause: some 20 µs each.
const perPause = 10

// NewTree reads the tree, and calls pause again and again; it is empty without /proc.
func NewTree(pause func()) Tree {
	all, err := procfs.AllProcs()
	if err != nil {
		return nil
	}
	tree := make(Tree)
	for i, p := range all {
		if stat, err := p.Stat(); err == nil && !ended(stat.State) {
			tree[stat.PPID] = append(tree[stat.PPID], ID{p.PID, stat.Starttime})
		}
		if i%perPause == 0 {
			pause()
		}
	}
	return tree
}

// Family returns a process and its descendants, parents before their children. It is empty if
// the process does not run.
func (t Tree) Family(of ID) (family []ID) {
	if !of.Alive() {
		return nil
	}
	family = []ID{of}
	for i := 0; i < len(family); i++ {
		for _, child := range t[family[i].PID] {
			if !slices.Contains(family, child) {
				family = append(family, child)
			}
		}
	}
	return family
}

// Marked returns the processes that began with a variable NAME=value in their environment, as far as this
// user may read it.
func Marked(variable string) (list []ID) {
	all, err := procfs.AllProcs()
	if err != nil {
		return nil
	}
	for _, p := range all {
		began, err := p.Environ()
		if err != nil || !slices.Contains(began, variable) {
			continue
		}
		if id, ok := Find(p.PID); ok {
			list = append(list, id)
		}
	}
	return list
}

// Family returns the current family of a process.
func Family(pid int) []ID {
	id, ok := Find(pid)
	if !ok {
		return nil
	}
	return NewTree(func() {}).Family(id)
}

// Reap waits for the children of this process that have ended, except those that skip selects,
// which are waited for elsewhere.
func Reap(skip func(pid int) bool) {
	all, err := procfs.AllProcs()
	if err != nil {
		return
	}
	for _, p := range all {
		if stat, err := p.Stat(); err == nil && stat.PPID == os.Getpid() && stat.State == "Z" && !skip(p.PID) {
			_, _ = syscall.Wait4(p.PID, nil, syscall.WNOHANG, nil)
		}
	}
}

// Check refuses a pid that must not be paused, stopped or killed.
func Check(pid int) error {
	switch {
	case pid <= 1: // 0 and below name groups of processes, 1 is init
		return fmt.Errorf("pid %d: want the pid of the broker", pid)
	case pid == os.Getpid():
		return fmt.Errorf("pid %d is brokerbench itself: want the pid of the broker", pid)
	case slices.Contains(ancestors(), pid):
		return fmt.Errorf("pid %d has started brokerbench: want the pid of the broker", pid)
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

// ancestors returns the parent of this process, the parent of that one, and so on.
func ancestors() (pids []int) {
	for pid := os.Getppid(); pid > 0 && !slices.Contains(pids, pid); {
		pids = append(pids, pid)
		p, err := procfs.NewProc(pid)
		if err != nil {
			break
		}
		stat, err := p.Stat()
		if err != nil {
			break
		}
		pid = stat.PPID
	}
	return pids
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

func hasProc() bool {
	_, err := procfs.NewProc(os.Getpid())
	return err == nil
}

func exists(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// OwnGroup puts a command that has not begun into a new process group: a Ctrl-C in the
// terminal reaches brokerbench, which may still need the command, but not the command.
func OwnGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// EndsWhole is [OwnGroup], and when the context of the command ends, its children are killed
// with it. The command must come from exec.CommandContext.
func EndsWhole(c *exec.Cmd) {
	OwnGroup(c)
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
