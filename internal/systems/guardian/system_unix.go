//go:build unix && !linux

package guardian

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func adopt(bool) {}

func ofChild() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func childrenEnd(to chan<- os.Signal) { signal.Notify(to, syscall.SIGCHLD) }

func unmount(folder string) error {
	return fmt.Errorf("unmounting %s: not supported on this system", folder)
}
