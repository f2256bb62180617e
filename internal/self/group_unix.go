//go:build unix

package self

import "syscall"

// ownGroup puts the child into a process group of its own: a Ctrl-C in the
// terminal reaches brokerbench, which still needs the child to finish the cell
// under way, but not the child.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
