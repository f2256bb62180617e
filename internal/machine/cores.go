package machine

import (
	"runtime"

	"github.com/brokerbench/brokerbench/internal/machine/cgroup"
)

// Cores says how many cores this process may use. A machine, or the node of a pod,
// may have many more.
type Cores struct {
	CPUs  int     // on which this process may run: its affinity mask
	Quota float64 // the smallest CPU quota of the cgroups around it, in cores; 0: none, or unknown
	Procs int     // GOMAXPROCS
}

// ReadCores finds out how many cores this process may use now.
func ReadCores() Cores { return readCores("/", runtime.NumCPU(), runtime.GOMAXPROCS(0)) }

// readCores reads the cgroups below a root.
func readCores(root string, cpus, procs int) Cores {
	quota, _, _ := cgroup.Find(root, "cpu").Quota() // 0 without one
	return Cores{CPUs: cpus, Quota: quota, Procs: procs}
}

// Usable returns how many cores this process can use with that many senders: no more
// than the system lets it have, and no more than Go runs threads on. While the engine
// runs these are one more than there are senders, at least (package load).
func (c Cores) Usable(senders int) float64 {
	usable := float64(min(c.CPUs, max(c.Procs, senders+1)))
	if c.Quota > 0 {
		usable = min(usable, c.Quota)
	}
	return usable
}
