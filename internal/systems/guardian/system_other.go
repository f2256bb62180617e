//go:build !unix

package guardian

import (
	"fmt"
	"os"
	"syscall"
)

func adopt(bool) {}

func ofChild() *syscall.SysProcAttr { return nil }

func childrenEnd(chan<- os.Signal) {}

func unmount(folder string) error {
	return fmt.Errorf("unmounting %s: not supported on this system", folder)
}
