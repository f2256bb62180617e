package process

import (
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// Count reads the counters of a process. It calls pause halfway.
func (id ID) Count(pause func()) (c Counters) {
	c.CPU = cpuOf(id.PID)
	p, err := procfs.NewProc(id.PID)
	if err != nil {
		return c
	}
	if m, err := p.Statm(); err == nil {
		resident := int64(m.ResidentBytes())
		c.Resident = &resident
	}
	pause()
	if io, err := p.IO(); err == nil { // works for processes of the same user, or as root
		read, written := int64(io.ReadBytes), int64(io.WriteBytes)
		c.Read, c.Written, c.Cancelled = &read, &written, &io.CancelledWriteBytes
	}
	return c
}

// cpuOf reads the CPU clock of a process, in nanoseconds: /proc counts in steps of 10 ms.
func cpuOf(pid int) *time.Duration {
	const (
		scheduled = 2       // CPUCLOCK_SCHED of the whole process: see clock_getcpuclockid(3)
		mostPID   = 1 << 22 // of Linux: larger numbers would name another clock
	)
	var t unix.Timespec
	if pid > mostPID || unix.ClockGettime(int32(^pid<<3|scheduled), &t) != nil {
		return nil
	}
	return new(time.Duration(t.Nano()))
}
