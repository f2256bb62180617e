//go:build !unix

package guardian

import (
	"os"
	"syscall"
)

func adopt(bool) {}

func ofChild() *syscall.SysProcAttr { return nil }

func childrenEnd(chan<- os.Signal) {}
