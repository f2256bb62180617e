//go:build !unix

package natschild

import "syscall"

func ownGroup() *syscall.SysProcAttr { return nil }
