package doctor

import (
	"fmt"

	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/results"
)

// The limits.
const (
	mostSteal = 0.01 // part of the CPU time that was wanted
	mostBusy  = 0.1  // part of all cores, by other programs
)

// contention judges how busy other programs kept the CPUs on which this process may
// run, and the share of the wanted time that the hypervisor took.
func contention(u results.Usage) []Finding {
	// This process alone keeps the machine busy: 0 means that the system counts nothing.
	if u.Machine == nil || u.Machine.BusyCores == 0 {
		return []Finding{unknown("busy", "the system does not tell"), unknown("steal", "the system does not tell")}
	}
	ours := u.Machine.Ours()
	busy, steal := max(0, ours.BusyCores-u.Process.CPUCores)/float64(ours.CPUs), ours.Stolen()
	return []Finding{
		judge("busy", fmt.Sprintf("%.0f %% of all cores, by other programs", 100*busy), busy <= mostBusy, "stop other programs here (see top)"),
		judge("steal", fmt.Sprintf("%.1f %% of the CPU time that was wanted, taken by the hypervisor", 100*steal), steal <= mostSteal, "use dedicated cores, or another host"),
	}
}

// cores compares the cores that this process may use with what the senders and the
// replies need.
func cores(c machine.Cores, needs Needs) Finding {
	want := needs.Senders + 2
	remedy := fmt.Sprintf("a machine with %d cores or more; if the broker is on this one, too, it needs its own besides", want)
	value := fmt.Sprintf("%d, GOMAXPROCS %d, for %d that send, the replies, and one to spare", c.CPUs, c.Procs, needs.Senders)
	switch {
	case c.Quota > 0 && c.Quota < float64(want):
		remedy = fmt.Sprintf("a CPU quota of %d cores or more, or none", want)
		value = fmt.Sprintf("%.2f of %s", c.Quota, value)
	case c.CPUs >= want:
		remedy = fmt.Sprintf("unset GOMAXPROCS, or set it to %d or more", want)
	}
	return judge("cores", value, c.Usable(0) >= float64(want), remedy)
}

// governor judges how the kernel chooses the cores' frequencies.
func governor(s machine.System) Finding {
	found := s.OfCPUs("cpufreq/scaling_governor")
	if found == "" {
		return unknown("governor", "the system does not tell; in a virtual machine the host decides")
	}
	return judge("governor", found, found == "performance", "cpupower frequency-set -g performance")
}
