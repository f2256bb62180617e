package process

import (
	"os/exec"
	"syscall"
)

// EndsWithUs has the kernel kill a command that has not begun when the thread that starts it ends, so also
// when this process is killed. Call it after [OwnGroup] or [EndsWhole].
func EndsWithUs(c *exec.Cmd) { c.SysProcAttr.Pdeathsig = syscall.SIGKILL }
