//go:build !unix

package guardian

import "syscall"

func adopt() {}

func ofChild() *syscall.SysProcAttr { return nil }
