package results

// A Usage is what this process and its machine did in one interval of the log,
// or in a window (see TotalUsage). What the system does not show is null. Counts
// and times are of the interval alone; a field commented "at the end" is read at
// its end.
type Usage struct {
	FromNS      int64 `json:"from_ns"` // offsets from the first due
	ToNS        int64 `json:"to_ns"`
	HiccupMaxNS int64 `json:"hiccup_max_ns"` // the longest time this process was runnable but not scheduled

	Process ProcessUsage  `json:"process"`
	Go      GoUsage       `json:"go"`
	Machine *MachineUsage `json:"machine"` // null where the system does not show it
}

// A ProcessUsage is what the operating system counted of this process.
type ProcessUsage struct {
	CPUCores            float64 `json:"cpu_cores"` // CPU seconds per second: user and system
	UserCores           float64 `json:"user_cores"`
	SystemCores         float64 `json:"system_cores"`
	ResidentBytes       *int64  `json:"resident_bytes"`       // at the end
	VoluntarySwitches   *int64  `json:"voluntary_switches"`   // a thread gave up its core
	InvoluntarySwitches *int64  `json:"involuntary_switches"` // a core was taken from a thread
	// How long runnable threads waited for a core, all added up, but for threads that
	// have ended. A wait counts when it is over.
	RunWaitNS *int64 `json:"run_wait_ns"`
}

// A GoUsage is what Go's runtime counted (package runtime/metrics). Pauses and
// latencies come from the runtime's histograms: each is its bucket's upper edge,
// up to a quarter more than the truth.
type GoUsage struct {
	GCCycles       int64 `json:"gc_cycles"`
	GCPauseMaxNS   int64 `json:"gc_pause_max_ns"` // the world stopped for the collector, each of two pauses a cycle
	GCPauseTotalNS int64 `json:"gc_pause_total_ns"`
	// How long runnable goroutines waited for a thread. The runtime times one wait in
	// eight, so the true maximum may be longer.
	SchedLatencyP99NS int64 `json:"sched_latency_p99_ns"`
	SchedLatencyMaxNS int64 `json:"sched_latency_max_ns"`
	HeapBytes         int64 `json:"heap_bytes"` // objects, dead ones not yet swept included; at the end
	Goroutines        int64 `json:"goroutines"` // at the end
}

// A MachineUsage is what all that runs on the machine did, this process included.
// In a container the network is the container's, all else the machine's.
type MachineUsage struct {
	CPUs            int64   `json:"cpus"`         // online, at the end; this process may be confined to fewer
	BusyCores       float64 `json:"busy_cores"`   // running anything at all, in CPU seconds per second
	StealCores      float64 `json:"steal_cores"`  // runnable here, while the hypervisor ran another machine
	IOWaitCores     float64 `json:"iowait_cores"` // idle while something waited for a disk
	ContextSwitches int64   `json:"context_switches"`
	Runnable        int64   `json:"runnable"` // threads running or waiting for a core, the one that reads this included; at the end

	RunWaitNS         *int64 `json:"run_wait_ns"`          // threads that waited for a core, all added up
	PressureCPUSomeNS *int64 `json:"pressure_cpu_some_ns"` // time in which at least one thread waited for a core

	NetworkReceivedBytes *int64 `json:"network_received_bytes"` // all interfaces, loopback included
	NetworkSentBytes     *int64 `json:"network_sent_bytes"`

	ThrottledNS *int64 `json:"throttled_ns"` // CPU quotas stopped cores of our cgroup, or of one around it, all added up

	Confined *CPUUsage `json:"confined"` // of the CPUs on which this process may run; null if these are all, or unknown
}

// A CPUUsage is what ran on some CPUs.
type CPUUsage struct {
	CPUs       int64   `json:"cpus"`
	BusyCores  float64 `json:"busy_cores"`
	StealCores float64 `json:"steal_cores"`
}

// Ours returns what ran on the CPUs on which this process may run.
func (m MachineUsage) Ours() CPUUsage {
	if m.Confined != nil {
		return *m.Confined
	}
	return CPUUsage{m.CPUs, m.BusyCores, m.StealCores}
}

// Stolen returns which share of the CPU time that was wanted here the hypervisor
// gave to others, from 0 to 1. It takes time only from CPUs that want to run, so
// this is what a thread that runs here lost on average, however many idle CPUs there
// are beside it.
func (c CPUUsage) Stolen() float64 {
	if c.StealCores <= 0 {
		return 0
	}
	return c.StealCores / (c.BusyCores + c.StealCores)
}
