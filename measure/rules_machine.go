package measure

import (
	"cmp"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/words"
	hardware "github.com/brokerbench/brokerbench/machine"
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

// hiccups: the worst responses came while this process was kept from running.
func hiccups(c *results.Cell) (results.Verdict, string) {
	t := c.Tail
	if t == nil || t.Intervals == 0 || float64(t.WithHiccup) < hiccupSeconds*float64(t.Intervals) {
		return "", ""
	}
	return results.Suspect, fmt.Sprintf(
		"the tail is this machine's: of the %d seconds with responses of %s ms or more, %d also held a hiccup of at least half that (longest %s ms)",
		t.Intervals, words.Millis(time.Duration(t.ThresholdNS)), t.WithHiccup, words.Millis(time.Duration(t.LargestHiccupNS)))
}

// stoodStill tells whether a hiccup explains a response.
func stoodStill(hiccup, response time.Duration) bool {
	return float64(hiccup) >= hiccupShare*float64(response)
}

// slowClock: reading the clock is a system call, or coarse.
func (s surroundings) slowClock(*results.Cell) (results.Verdict, string) {
	if hardware.FastClock(s.clock) {
		return "", ""
	}
	return results.Suspect, fmt.Sprintf(
		"the clock source is %s, which is slow or coarse: every time stamp costs time (boot with clocksource=tsc)", s.clock)
}

// sharedMachine: client and broker compete for the same cores.
func (s surroundings) sharedMachine(*results.Cell) (results.Verdict, string) {
	if !s.shared {
		return "", ""
	}
	return results.Valid, "client and broker share this machine: they compete for its cores"
}
