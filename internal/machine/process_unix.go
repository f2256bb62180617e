//go:build unix

package machine

import (
	"time"

	"golang.org/x/sys/unix"
)

func readProcess() (p processCounters) {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return p
	}
	p.user, p.system = time.Duration(usage.Utime.Nano()), time.Duration(usage.Stime.Nano())
	p.voluntary = new(int64(usage.Nvcsw))    //nolint:unconvert // 32 bits on some systems
	p.involuntary = new(int64(usage.Nivcsw)) //nolint:unconvert // 32 bits on some systems
	return p
}
