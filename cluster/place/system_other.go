//go:build !unix

package place

import "syscall"

func ownGroup() *syscall.SysProcAttr { return nil }
