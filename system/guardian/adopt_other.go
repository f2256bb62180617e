//go:build !unix

package guardian

import "syscall"

func adopt(bool) {}

func ofChild() *syscall.SysProcAttr { return nil }
