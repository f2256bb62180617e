// Package process finds, watches and signals other processes of this machine, such as a broker
// and its children, and lists mounts. A system without /proc has no families of processes and no
// mounts; one without signals cannot do anything to a process.
package process

import (
	"errors"
	"time"
)

// ErrEnded means that a process cannot be ended because it has ended by itself.
var ErrEnded = errors.New("it had ended before")

// An ID identifies a process: its number alone may have been reused.
type ID struct {
	PID     int
	Started uint64 // in ticks since the machine started; 0: not known
}

// Counters are the resources that a process has used since it began, and its memory now. Values
// that cannot be read are nil.
type Counters struct {
	CPU                     *time.Duration // user and system, also of threads that have ended
	Resident, Read, Written *int64         // bytes: in memory now; from disks and to disks
}
