package doctor

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/results"
)

// What is good enough, as parts of all cores.
const (
	mostSteal = 0.01
	mostBusy  = 0.1 // by other programs
)

// contention judges how busy other programs kept the machine, and how much the
// hypervisor took.
func contention(u results.Usage) []Finding {
	// This process alone keeps the machine busy: 0 means that the system counts nothing.
	m := u.Machine
	if m == nil || m.BusyCores == 0 {
		return []Finding{unknown("busy", "the system does not tell"), unknown("steal", "the system does not tell")}
	}
	busy, steal := max(0, m.BusyCores-u.Process.CPUCores)/float64(m.CPUs), m.StealCores/float64(m.CPUs)
	return []Finding{
		judge("busy", fmt.Sprintf("%.0f %% of all cores, by other programs", 100*busy), busy <= mostBusy, "stop what else runs here (top)"),
		judge("steal", fmt.Sprintf("%.1f %% taken by the hypervisor", 100*steal), steal <= mostSteal, "a machine whose cores are its own, or another host"),
	}
}

// cores compares the cores, and how many of them Go uses (procs), with what the
// senders and the replies need.
func cores(cpus, procs int, needs Needs) Finding {
	want := needs.Senders + 2
	remedy := fmt.Sprintf("a machine with %d cores or more; if the broker is on this one, too, it needs its own besides", want)
	if cpus >= want {
		remedy = fmt.Sprintf("unset GOMAXPROCS, or set it to %d or more", want)
	}
	value := fmt.Sprintf("%d, GOMAXPROCS %d, for %d that send, the replies, and one to spare", cpus, procs, needs.Senders)
	return judge("cores", value, min(cpus, procs) >= want, remedy)
}

// governor judges how the kernel chooses the cores' frequencies.
func governor(root fs.FS) Finding {
	paths, _ := fs.Glob(root, "sys/devices/system/cpu/cpu*/cpufreq/scaling_governor")
	var found []string
	for _, p := range paths {
		if g, ok := line(root, p); ok && !slices.Contains(found, g) {
			found = append(found, g)
		}
	}
	if len(found) == 0 {
		return unknown("governor", "the system does not tell; in a virtual machine the host decides")
	}
	return judge("governor", strings.Join(found, ", "), slices.Equal(found, []string{"performance"}), "cpupower frequency-set -g performance")
}
