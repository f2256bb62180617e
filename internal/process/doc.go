// Package process finds, watches and signals processes of this machine that are not this
// one, such as a broker and what it started. Where the system has no /proc, a process has
// no family, and where it has no signals, nothing can be done to it.
package process

import "errors"

// ErrEnded is that a process cannot be ended, because it has ended by itself.
var ErrEnded = errors.New("it had ended before")

// An ID is a process: its number alone may belong to another one by now.
type ID struct {
	PID     int
	Started uint64 // in ticks since the machine started; 0: not known
}
