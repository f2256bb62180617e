package machine

import (
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/procfs"

	"github.com/brokerbench/brokerbench/machine/cgroup"
	"github.com/brokerbench/brokerbench/results"
)

// proc reads /proc. The zero value, used elsewhere than on Linux, knows nothing.
type proc struct {
	ok    bool
	fs    procfs.FS
	self  procfs.Proc
	group cgroup.Group // for the CPU
}

// openProc opens the /proc below a root folder.
func openProc(root string) (p proc) {
	p.fs, p.ok = attempt(func() (procfs.FS, error) { return procfs.NewFS(filepath.Join(root, procfs.DefaultMountPoint)) })
	if p.ok {
		p.self, p.ok = attempt(p.fs.Self)
	}
	if !p.ok {
		return proc{}
	}
	p.group = cgroup.Find(os.DirFS(root), "cpu")
	return p
}

// attempt returns what read returns; ok is false after an error. procfs panics on
// files that are shorter than it expects, as those of an emulated kernel may be:
// that must not end a run.
func attempt[T any](read func() (T, error)) (what T, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	what, err := read()
	return what, err == nil
}

// machineCounters are what the kernel counted since the machine started, and how
// many CPUs and runnable threads there are now.
type machineCounters struct {
	cpus, runnable, switches int64
	busy, idle               float64 // CPU seconds
	steal, iowait            float64

	runWait, pressure, received, sent, throttled *int64
}

// counters reads them; it returns nil if the kernel does not show them.
func (p proc) counters() *machineCounters {
	if !p.ok {
		return nil
	}
	stat, ok := attempt(p.fs.Stat)
	if !ok || len(stat.CPU) == 0 {
		return nil
	}
	all := stat.CPUTotal // User includes Guest
	m := &machineCounters{
		cpus: int64(len(stat.CPU)), runnable: int64(stat.ProcessesRunning), switches: int64(stat.ContextSwitches),
		busy:  all.User + all.Nice + all.System + all.IRQ + all.SoftIRQ,
		idle:  all.Idle,
		steal: all.Steal, iowait: all.Iowait,
		runWait: p.runWait(), pressure: p.pressure(), throttled: p.throttled(),
	}
	m.received, m.sent = p.network()
	return m
}

func (m machineCounters) since(before machineCounters, elapsed time.Duration) *results.MachineUsage {
	return &results.MachineUsage{
		CPUs:                 m.cpus,
		BusyCores:            cores(m.busySince(before, elapsed), elapsed),
		StealCores:           cores(m.steal-before.steal, elapsed),
		IOWaitCores:          cores(m.iowait-before.iowait, elapsed), // the kernel's may go back
		ContextSwitches:      max(0, m.switches-before.switches),
		Runnable:             m.runnable,
		RunWaitNS:            grown(before.runWait, m.runWait),
		PressureCPUSomeNS:    grown(before.pressure, m.pressure),
		NetworkReceivedBytes: grown(before.received, m.received),
		NetworkSentBytes:     grown(before.sent, m.sent),
		ThrottledNS:          grown(before.throttled, m.throttled),
	}
}

// busySince returns for how many CPU seconds something ran. Many kernels sample a
// hundred times a second who runs, and miss whoever runs for less in between: a
// broker and its client, mostly. Idle time is measured, so time that is neither
// idle nor stolen was busy. Where the kernel shows no idle time, its count of busy
// time is taken.
func (m machineCounters) busySince(before machineCounters, elapsed time.Duration) float64 {
	counted, idle := m.busy-before.busy, m.idle-before.idle
	if idle <= 0 {
		return counted
	}
	rest := elapsed.Seconds()*float64(m.cpus) - idle - max(0, m.iowait-before.iowait) - max(0, m.steal-before.steal)
	return max(counted, rest)
}

// runWait returns how long threads waited for a core, in nanoseconds. Many
// kernels are built without /proc/schedstat.
func (p proc) runWait() *int64 {
	stat, ok := attempt(p.fs.Schedstat)
	if !ok || len(stat.CPUs) == 0 {
		return nil
	}
	var sum int64
	for _, cpu := range stat.CPUs {
		sum += int64(cpu.WaitingNanoseconds)
	}
	return &sum
}

// pressure returns the time in which at least one thread waited for a core, in
// nanoseconds.
func (p proc) pressure() *int64 {
	psi, ok := attempt(func() (procfs.PSIStats, error) { return p.fs.PSIStatsForResource("cpu") })
	if !ok || psi.Some == nil {
		return nil
	}
	return new(int64(psi.Some.Total) * int64(time.Microsecond))
}

// throttled returns how long our own cgroup was throttled, in nanoseconds.
func (p proc) throttled() *int64 {
	d, ok := p.group.Throttled()
	if !ok {
		return nil
	}
	ns := int64(d)
	return &ns
}

// network returns the bytes that all interfaces received, and sent.
func (p proc) network() (*int64, *int64) {
	interfaces, ok := attempt(p.fs.NetDev)
	if !ok || len(interfaces) == 0 {
		return nil, nil
	}
	total := interfaces.Total()
	received, sent := int64(total.RxBytes), int64(total.TxBytes)
	return &received, &sent
}

// residentBytes returns this process's memory.
func (p proc) residentBytes() *int64 {
	if !p.ok {
		return nil
	}
	m, ok := attempt(p.self.Statm)
	if !ok {
		return nil
	}
	bytes := int64(m.ResidentBytes())
	return &bytes
}
