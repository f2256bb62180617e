//go:build unix && !linux

package guardian

import "syscall"

func adopt(bool) {}

func ofChild() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
