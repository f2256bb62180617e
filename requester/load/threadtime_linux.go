package load

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the CPU time of this thread; 0 if the system does not tell.
func threadTime() time.Duration {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_THREAD, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
