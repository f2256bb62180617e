package measure

import (
	"cmp"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/results"
)

// processCPU: this process used up the cores that it may use.
func processCPU(c *results.Cell) (results.Verdict, string) {
	m := machineUsage(c)
	if m == nil {
		return "", ""
	}
	used, cores := c.Usage.Process.CPUCores, float64(cmp.Or(m.CPUs, 1))
	if used < processBusy*cores {
		return "", ""
	}
	return results.Suspect, fmt.Sprintf("brokerbench used %.2f of %.0f cores: it may be the limit", used, cores)
}

// machineCPU: the machine had no core to spare.
func machineCPU(c *results.Cell) (results.Verdict, string) {
	m := machineUsage(c)
	if m == nil || m.BusyCores < machineBusy*float64(m.CPUs) {
		return "", ""
	}
	return results.Suspect, fmt.Sprintf("the machine was busy: %.2f of %d cores, %.2f of them by brokerbench; messages waited for a core",
		m.BusyCores, m.CPUs, c.Usage.Process.CPUCores)
}

// steal: the hypervisor ran others on the cores of this machine.
func steal(c *results.Cell) (results.Verdict, string) {
	m := machineUsage(c)
	if m == nil || m.StealCores < coresStolen*float64(m.CPUs) {
		return "", ""
	}
	return results.Suspect, fmt.Sprintf("the hypervisor took %.1f %% of this machine's cores away", 100*m.StealCores/float64(m.CPUs))
}

// throttled: the cgroup's CPU quota was used up.
func throttled(c *results.Cell) (results.Verdict, string) {
	m := machineUsage(c)
	if m == nil || m.ThrottledNS == nil || *m.ThrottledNS == 0 {
		return "", ""
	}
	return results.Suspect, fmt.Sprintf("the CPU quota of this cgroup ran out for %s ms", words.Millis(time.Duration(*m.ThrottledNS)))
}

// machineUsage returns what the machine did, nil if that is not known.
func machineUsage(c *results.Cell) *results.MachineUsage {
	if c.Usage == nil {
		return nil
	}
	return c.Usage.Machine
}
