// Package usage holds the resources that this process and its machine used.
package usage

import "github.com/brokerbench/brokerbench/results/internal/total"

// A Usage is the usage of this process and its machine in one interval of the log, or in a
// window (see Total). Unknown values are null. Counts and times are of the interval
// alone; a field commented "at the end" is read at its end.
type Usage struct {
	FromNS      int64 `json:"from_ns"` // offsets from the first due
	ToNS        int64 `json:"to_ns"`
	HiccupMaxNS int64 `json:"hiccup_max_ns" total:"max"` // the longest time this process was runnable but not scheduled

	Process Process  `json:"process"`
	Go      Go       `json:"go"`
	Machine *Machine `json:"machine"` // null if the system does not report it
}

// A Process holds the operating system's counts of this process.
type Process struct {
	CPUCores            float64 `json:"cpu_cores"` // CPU seconds per second: user and system
	UserCores           float64 `json:"user_cores"`
	SystemCores         float64 `json:"system_cores"`
	ResidentBytes       *int64  `json:"resident_bytes" total:"max"` // at the end
	VoluntarySwitches   *int64  `json:"voluntary_switches"`         // a thread gave up its core
	InvoluntarySwitches *int64  `json:"involuntary_switches"`       // a core was taken from a thread
	// The sum of the times that runnable threads waited for a core, without threads that have
	// ended. A wait counts when it ends.
	RunWaitNS *int64 `json:"run_wait_ns"`
}

// A Go holds the counts of Go's runtime (package runtime/metrics). Pauses and latencies
// come from the runtime's histograms: each is the upper edge of its bucket, up to a quarter
// above the true value.
type Go struct {
	GCCycles       int64 `json:"gc_cycles"`
	GCPauseMaxNS   int64 `json:"gc_pause_max_ns" total:"max"` // the world stopped for the collector, each of two pauses a cycle
	GCPauseTotalNS int64 `json:"gc_pause_total_ns"`
	// How long runnable goroutines waited for a thread. The runtime times one wait in
	// eight, so the true maximum may be longer.
	SchedLatencyP99NS int64 `json:"sched_latency_p99_ns" total:"max"`
	SchedLatencyMaxNS int64 `json:"sched_latency_max_ns" total:"max"`
	HeapBytes         int64 `json:"heap_bytes" total:"max"` // objects, dead ones not yet swept included; at the end
	Goroutines        int64 `json:"goroutines" total:"max"` // at the end
}

// A Machine is the usage of the whole machine, including this process. In a container
// the network counts are those of the container, all others those of the machine.
type Machine struct {
	CPUs            int64   `json:"cpus" total:"max"` // online, at the end; this process may be confined to fewer
	BusyCores       float64 `json:"busy_cores"`       // running anything at all, in CPU seconds per second
	StealCores      float64 `json:"steal_cores"`      // runnable here, while the hypervisor ran another machine
	IOWaitCores     float64 `json:"iowait_cores"`     // idle while something waited for a disk
	ContextSwitches int64   `json:"context_switches"`
	Runnable        int64   `json:"runnable" total:"max"` // threads running or waiting for a core, the one that reads this included; at the end

	RunWaitNS         *int64 `json:"run_wait_ns"`          // the sum of the waits of threads for a core
	PressureCPUSomeNS *int64 `json:"pressure_cpu_some_ns"` // time in which at least one thread waited for a core

	NetworkReceivedBytes *int64 `json:"network_received_bytes"` // all interfaces, loopback included
	NetworkSentBytes     *int64 `json:"network_sent_bytes"`

	ThrottledNS *int64 `json:"throttled_ns"` // the sum of the times that CPU quotas stopped this cgroup, or one around it

	Confined *CPUs `json:"confined"` // of the CPUs on which this process may run; null if it may run on all, or if unknown
}

// A CPUs is the usage of some CPUs.
type CPUs struct {
	CPUs       int64   `json:"cpus" total:"max"`
	BusyCores  float64 `json:"busy_cores"`
	StealCores float64 `json:"steal_cores"`
}

// Ours returns the usage of the CPUs on which this process may run.
func (m Machine) Ours() CPUs {
	if m.Confined != nil {
		return *m.Confined
	}
	return CPUs{m.CPUs, m.BusyCores, m.StealCores}
}

// Stolen returns the share, 0 to 1, of the demanded CPU time that the hypervisor gave to other
// machines. It steals only from busy CPUs, so this is the average loss of a thread here,
// however many other CPUs are idle.
func (c CPUs) Stolen() float64 {
	if c.StealCores <= 0 {
		return 0
	}
	return c.StealCores / (c.BusyCores + c.StealCores)
}

// Total sums up consecutive intervals into the window from the start of the first to
// the end of the last:
//
//   - cores are averaged, weighted by the length of the intervals;
//   - counts and times are added;
//   - of maxima, and of values read at the end of an interval, the largest counts, also of
//     the 99th percentile: that of the window cannot exceed it.
//
// A value that is unknown in one interval is unknown in the window. Without intervals
// Total returns the zero value.
func Total(intervals []Usage) Usage {
	if len(intervals) == 0 {
		return Usage{}
	}
	var length int64
	for _, u := range intervals {
		length += u.length()
	}
	var sum total.Sum[Usage]
	for _, u := range intervals {
		weight := 1 / float64(len(intervals)) // intervals without a length weigh the same
		if length > 0 {
			weight = float64(u.length()) / float64(length)
		}
		sum.Add(u, weight)
	}
	all := sum.Value()
	all.FromNS, all.ToNS = intervals[0].FromNS, intervals[len(intervals)-1].ToNS
	return all
}

func (u Usage) length() int64 { return max(u.ToNS-u.FromNS, 0) }
