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
	p, m, known := usage(c)
	cores := float64(cmp.Or(m.CPUs, 1))
	return when(known && p.CPUCores >= processBusy*cores, results.Suspect,
		"brokerbench used %.2f of %.0f cores: it may be the limit", p.CPUCores, cores)
}

// machineCPU: the machine had no core to spare.
func machineCPU(c *results.Cell) (results.Verdict, string) {
	p, m, known := usage(c)
	return when(known && m.BusyCores >= machineBusy*float64(m.CPUs), results.Suspect,
		"the machine was busy: %.2f of %d cores, %.2f of them by brokerbench; messages waited for a core", m.BusyCores, m.CPUs, p.CPUCores)
}

// steal: the hypervisor ran others on the cores of this machine.
func steal(c *results.Cell) (results.Verdict, string) {
	_, m, known := usage(c)
	return when(known && m.StealCores >= coresStolen*float64(m.CPUs), results.Suspect,
		"the hypervisor took %.1f %% of this machine's cores away", 100*m.StealCores/float64(m.CPUs))
}

// throttled: the cgroup's CPU quota was used up.
func throttled(c *results.Cell) (results.Verdict, string) {
	_, m, _ := usage(c)
	if m.ThrottledNS == nil || *m.ThrottledNS == 0 {
		return "", ""
	}
	return results.Suspect, fmt.Sprintf("the CPU quota of this cgroup ran out for %s ms", words.Millis(time.Duration(*m.ThrottledNS)))
}

// usage returns what process and machine did; known is false if nobody observed both.
func usage(c *results.Cell) (p results.ProcessUsage, m results.MachineUsage, known bool) {
	if c.Usage == nil || c.Usage.Machine == nil {
		return p, m, false
	}
	return c.Usage.Process, *c.Usage.Machine, true
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
	return when(!hardware.FastClock(s.clock), results.Suspect,
		"the clock source is %s, which is slow or coarse: every time stamp costs time (boot with clocksource=tsc)", s.clock)
}

// sharedMachine: client and broker compete for the same cores.
func (s surroundings) sharedMachine(*results.Cell) (results.Verdict, string) {
	return when(s.shared, results.Valid, "client and broker share this machine: they compete for its cores")
}
