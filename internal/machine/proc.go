package machine

import (
	"path/filepath"
	"time"

	"github.com/prometheus/procfs"

	"github.com/brokerbench/brokerbench/internal/machine/cgroup"
	"github.com/brokerbench/brokerbench/results"
)

// proc reads /proc. In the zero value, which is used outside of Linux, everything is unknown.
type proc struct {
	ok    bool
	fs    procfs.FS
	self  procfs.Proc
	mask  []uint64     // the CPUs on which this process may run
	group cgroup.Group // for the CPU
}

// openProc opens the /proc below a root folder.
func openProc(root string) (p proc) {
	if p.fs, p.ok = openFS(root); p.ok {
		p.self, p.ok = Attempt(p.fs.Self)
	}
	if !p.ok {
		return proc{}
	}
	status, _ := Attempt(p.self.NewStatus) // unknown is no mask
	p.mask, p.group = status.CpusAllowedList, cgroup.Find(root, "cpu")
	return p
}

// openFS opens the /proc below a root folder.
func openFS(root string) (procfs.FS, bool) {
	return Attempt(func() (procfs.FS, error) { return procfs.NewFS(filepath.Join(root, procfs.DefaultMountPoint)) })
}

// Attempt returns the result of read; ok is false after an error. procfs panics on
// files that are shorter than it expects, as those of an emulated kernel may be:
// that must not end a run.
func Attempt[T any](read func() (T, error)) (what T, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	what, err := read()
	return what, err == nil
}

// machineCounters are the counters of the kernel since the machine started, and the number
// of runnable threads now.
type machineCounters struct {
	all, own           cpuTimes // own: of the CPUs on which this process may run
	runnable, switches int64

	runWait, pressure, received, sent, throttled *int64
}

// counters reads them, pausing between two files; it returns nil if the kernel does
// not show them.
func (p proc) counters(pause func()) *machineCounters {
	if !p.ok {
		return nil
	}
	stat, ok := Attempt(p.fs.Stat)
	if !ok || len(stat.CPU) == 0 {
		return nil
	}
	m := &machineCounters{
		runnable: int64(stat.ProcessesRunning), switches: int64(stat.ContextSwitches),
		throttled: p.throttled(),
	}
	pause()
	m.runWait, m.pressure = p.runWait(), p.pressure()
	pause()
	m.all.add(stat.CPUTotal)
	m.all.cpus = int64(len(stat.CPU))
	for _, cpu := range p.mask {
		if times, online := stat.CPU[int64(cpu)]; online {
			m.own.add(times)
		}
	}
	m.received, m.sent = p.network()
	return m
}

func (m machineCounters) since(before machineCounters, elapsed time.Duration) *results.MachineUsage {
	all := m.all.since(before.all, elapsed)
	u := &results.MachineUsage{
		CPUs: all.CPUs, BusyCores: all.BusyCores, StealCores: all.StealCores,
		IOWaitCores:          cores(m.all.iowait-before.all.iowait, elapsed), // the kernel's may go back
		ContextSwitches:      max(0, m.switches-before.switches),
		Runnable:             m.runnable,
		RunWaitNS:            grown(before.runWait, m.runWait),
		PressureCPUSomeNS:    grown(before.pressure, m.pressure),
		NetworkReceivedBytes: grown(before.received, m.received),
		NetworkSentBytes:     grown(before.sent, m.sent),
		ThrottledNS:          grown(before.throttled, m.throttled),
	}
	if m.own.cpus > 0 && m.own.cpus < m.all.cpus {
		u.Confined = new(m.own.since(before.own, elapsed))
	}
	return u
}

// runWait returns how long threads waited for a core, in nanoseconds. Many
// kernels are built without /proc/schedstat.
func (p proc) runWait() *int64 {
	stat, ok := Attempt(p.fs.Schedstat)
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
	psi, ok := Attempt(func() (procfs.PSIStats, error) { return p.fs.PSIStatsForResource("cpu") })
	if !ok || psi.Some == nil {
		return nil
	}
	return new(int64(psi.Some.Total) * int64(time.Microsecond))
}

// throttled returns for how long CPU quotas stopped this process, in nanoseconds, summed over
// cores.
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
	interfaces, ok := Attempt(p.fs.NetDev)
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
	m, ok := Attempt(p.self.Statm)
	if !ok {
		return nil
	}
	bytes := int64(m.ResidentBytes())
	return &bytes
}
