package measure

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/words"
	hardware "github.com/brokerbench/brokerbench/machine"
	"github.com/brokerbench/brokerbench/results"
)

// processCPU: this process used up the cores that it may use.
func (s surroundings) processCPU(c *results.Cell) (results.Verdict, string) {
	p, _, _ := usage(c)
	return when(p.CPUCores >= processBusy*s.cores, results.Suspect,
		"brokerbench used %.2f of the %.4g cores that it may use: it may be the limit", p.CPUCores, s.cores)
}

// machineCPU: the CPUs on which this process may run had no core to spare.
func machineCPU(c *results.Cell) (results.Verdict, string) {
	p, m, _ := usage(c)
	ours := m.Ours()
	return when(ours.BusyCores >= machineBusy*float64(ours.CPUs), results.Suspect,
		"the machine was busy: %.2f of %d cores, %.2f of them by brokerbench; messages waited for a core", ours.BusyCores, ours.CPUs, p.CPUCores)
}

// steal: the hypervisor ran others on the cores that were in use here.
func steal(c *results.Cell) (results.Verdict, string) {
	_, m, _ := usage(c)
	ours := m.Ours()
	window := time.Duration(c.Usage.ToNS - c.Usage.FromNS)
	return when(ours.Stolen() >= shareStolen && ours.StealCores*window.Seconds() >= leastStolen.Seconds(), results.Suspect,
		"the hypervisor took %.1f %% of the CPU time that was wanted here: %.2f cores, with %.2f in use", 100*ours.Stolen(), ours.StealCores, ours.BusyCores)
}

// throttled: a CPU quota was used up, of the cgroup or of one around it.
func throttled(c *results.Cell) (results.Verdict, string) {
	_, m, _ := usage(c)
	if *m.ThrottledNS == 0 {
		return "", ""
	}
	return results.Suspect, fmt.Sprintf("the CPU quota of this cgroup ran out: it stopped cores for %s ms in all", words.Millis(time.Duration(*m.ThrottledNS)))
}

// usage returns what process and machine did; known is false if the machine's is not.
func usage(c *results.Cell) (p results.ProcessUsage, m results.MachineUsage, known bool) {
	switch {
	case c.Usage == nil:
		return p, m, false
	case c.Usage.Machine == nil:
		return c.Usage.Process, m, false
	}
	return c.Usage.Process, *c.Usage.Machine, true
}

// hiccups: the worst responses came while this process was kept from running.
func hiccups(c *results.Cell) (results.Verdict, string) {
	t := c.Tail
	if t.Intervals == 0 || float64(t.WithHiccup) < hiccupSeconds*float64(t.Intervals) {
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

// slowClock: reading the clock is a system call, or it moves in coarse steps.
func (s surroundings) slowClock(c *results.Cell) (results.Verdict, string) {
	if !hardware.FastClock(s.clock) {
		return results.Suspect, fmt.Sprintf(
			"the clock source is %s, which is slow or coarse: every time stamp costs time (boot with clocksource=tsc)", s.clock)
	}
	median, known := value(c.Response, 50)
	return when(known && s.step > hardware.FineStep && float64(s.step) > clockShare*float64(median), results.Suspect,
		"the clock moves in steps of %s ms, and the response p50 is %s ms: measure on Linux, where it moves in nanoseconds",
		words.Millis(s.step), words.Millis(median))
}

// sharedMachine: client and broker compete for the same cores.
func (s surroundings) sharedMachine(*results.Cell) (results.Verdict, string) {
	return when(s.shared, results.Valid, "client and broker share this machine: they compete for its cores")
}
