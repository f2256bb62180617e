//go:build unix

package child

import "syscall"

// ownGroup keeps a Ctrl-C in the terminal from the child: the parent still needs
// it to finish the cell under way.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
