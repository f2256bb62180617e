//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// OwnGroup puts a command that has not begun into a process group of its own: a Ctrl-C in the
// terminal reaches brokerbench, which may still need it, but not the command.
func OwnGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// EndsWhole is [OwnGroup], and when the context of the command ends, what it has started is
// killed with it. The command is made by exec.CommandContext.
func EndsWhole(c *exec.Cmd) {
	OwnGroup(c)
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
