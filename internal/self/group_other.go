//go:build !unix

package self

import "syscall"

func ownGroup() *syscall.SysProcAttr { return nil }
