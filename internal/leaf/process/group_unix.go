//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// OwnGroup puts a command that has not begun into a new process group: a Ctrl-C in the
// terminal reaches brokerbench, which may still need the command, but not the command.
func OwnGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// EndsWhole is [OwnGroup], and when the context of the command ends, its children are killed
// with it. The command must come from exec.CommandContext.
func EndsWhole(c *exec.Cmd) {
	OwnGroup(c)
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
