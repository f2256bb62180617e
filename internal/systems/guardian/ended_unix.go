//go:build unix

package guardian

import (
	"os"
	"os/signal"
	"syscall"
)

// childrenEnd sends when a child has ended.
func childrenEnd(to chan<- os.Signal) { signal.Notify(to, syscall.SIGCHLD) }
