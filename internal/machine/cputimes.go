package machine

import (
	"time"

	"github.com/prometheus/procfs"

	"github.com/brokerbench/brokerbench/results"
)

// cpuTimes are the CPU seconds that some CPUs spent since the machine started.
type cpuTimes struct {
	cpus                      int64
	busy, idle, steal, iowait float64
}

// add adds a CPU.
func (c *cpuTimes) add(s procfs.CPUStat) {
	c.cpus++
	c.busy += s.User + s.Nice + s.System + s.IRQ + s.SoftIRQ // User includes Guest
	c.idle += s.Idle
	c.steal += s.Steal
	c.iowait += s.Iowait
}

func (c cpuTimes) since(before cpuTimes, elapsed time.Duration) results.CPUUsage {
	return results.CPUUsage{
		CPUs:       c.cpus,
		BusyCores:  cores(c.busySince(before, elapsed), elapsed),
		StealCores: cores(c.steal-before.steal, elapsed),
	}
}

// busySince returns for how many CPU seconds something ran. Many kernels sample the
// running thread a hundred times a second, and miss threads that run for less in between:
// mostly a broker and its client. Idle time is measured, so time that is neither
// idle nor stolen was busy. Where the kernel shows no idle time, its count of busy
// time is taken.
func (c cpuTimes) busySince(before cpuTimes, elapsed time.Duration) float64 {
	counted, idle := c.busy-before.busy, c.idle-before.idle
	if idle <= 0 {
		return counted
	}
	rest := elapsed.Seconds()*float64(c.cpus) - idle - max(0, c.iowait-before.iowait) - max(0, c.steal-before.steal)
	return max(counted, rest)
}
