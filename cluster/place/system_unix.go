//go:build unix

package place

import "syscall"

// ownGroup keeps the Ctrl-C of the terminal from an agent: it is told when to end.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
