package judge

import (
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/internal/stats"
	"github.com/brokerbench/brokerbench/results"
)

// processCPU: this process used up the cores that it may use.
func (e Environment) processCPU(c *results.Cell) results.Problem {
	p, _, _ := usage(c)
	if p.CPUCores < processBusy*c.UsableCores {
		return results.Problem{}
	}
	return limiting(all(c), "brokerbench used %.2f of the %.4g cores that it may use: it may be the limit", p.CPUCores, c.UsableCores)
}

// machineCPU: the CPUs on which this process may run had no core to spare.
func machineCPU(c *results.Cell) results.Problem {
	p, m, _ := usage(c)
	ours := m.Ours()
	if ours.BusyCores < machineBusy*float64(ours.CPUs) {
		return results.Problem{}
	}
	return limiting(all(c), "the machine was busy: %.2f of %d cores, %.2f of them by brokerbench; messages waited for a core", ours.BusyCores, ours.CPUs, p.CPUCores)
}

// steal: the hypervisor ran others on the cores that were in use here.
func steal(c *results.Cell) results.Problem {
	_, m, _ := usage(c)
	ours := m.Ours()
	window := time.Duration(c.Usage.ToNS - c.Usage.FromNS)
	if ours.Stolen() < shareStolen || ours.StealCores*window.Seconds() < leastStolen.Seconds() {
		return results.Problem{}
	}
	return limiting(within(c, ours.Stolen()), "the hypervisor took %.1f %% of the CPU time that was wanted here: %.2f cores, with %.2f in use", 100*ours.Stolen(), ours.StealCores, ours.BusyCores)
}

// throttled: a CPU quota was used up, of the cgroup or of one around it.
func throttled(c *results.Cell) results.Problem {
	_, m, _ := usage(c)
	if *m.ThrottledNS == 0 {
		return results.Problem{}
	}
	stopped, window := time.Duration(*m.ThrottledNS), time.Duration(c.Usage.ToNS-c.Usage.FromNS)
	return limiting(within(c, float64(stopped)/float64(max(window, 1))),
		"the CPU quota of this cgroup ran out: it stopped cores for %s ms in all", words.Millis(stopped))
}

// shortOfCPU tells whether the machine had too little CPU for all that ran there.
func shortOfCPU(c *results.Cell) bool {
	_, m, known := usage(c)
	if !known {
		return false
	}
	return machineCPU(c).Text != "" || steal(c).Text != "" || m.ThrottledNS != nil && throttled(c).Text != ""
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

// stoodStill tells whether a hiccup explains a response.
func stoodStill(hiccup, response time.Duration) bool {
	return float64(hiccup) >= hiccupShare*float64(response)
}

// slowClock: reading the clock is a system call, or it moves in coarse steps.
func (e Environment) slowClock(c *results.Cell) results.Problem {
	if !machine.FastClock(e.Clock) {
		return limiting(all(c), "the clock source is %s, which is slow or coarse: every time stamp costs time (boot with clocksource=tsc)", e.Clock)
	}
	coarse := where(c, func(_ string, row results.Percentile) bool {
		return e.Step > machine.FineStep && float64(e.Step) > clockShare*float64(*row.ValueNS)
	})
	return limiting(coarse, "the clock moves in steps of %s ms: measure on Linux, where it moves in nanoseconds", words.Millis(e.Step))
}

// sharedMachine: client and broker compete for the same cores.
func (e Environment) sharedMachine(*results.Cell) results.Problem {
	return when(e.Shared, results.Valid, "client and broker share this machine: they compete for its cores")
}

// hiccups: the worst responses came while this process was kept from running, which it
// was not as often in ordinary seconds. If seconds cannot tell, it is the percentiles that hiccups
// alone explain: so often, a message that is due has to wait for so long.
func hiccups(c *results.Cell) results.Problem {
	t := c.Tail
	if c.Hiccup == nil {
		return results.Problem{}
	}
	if !bySeconds(t) {
		limits, row := ofResponse(c, func(row results.Percentile) bool { return explained(c, row) })
		response, _ := row.Value()
		hiccup, _ := value(*c.Hiccup, row.Percentile)
		return limiting(limits, "%s of the response is %s ms, and that of hiccups of this process %s ms (longest %s ms)",
			words.Percentile(row.Percentile), words.Millis(response), words.Millis(hiccup), words.Millis(time.Duration(c.Hiccup.MaxNS)))
	}
	if !moreThanUsual(t) {
		return results.Problem{}
	}
	limited := where(c, func(_ string, row results.Percentile) bool {
		hiccup, known := value(*c.Hiccup, row.Percentile)
		return *row.ValueNS >= t.ThresholdNS || known && stoodStill(hiccup, time.Duration(*row.ValueNS))
	})
	return limiting(limited,
		"of the %d seconds with responses of %s ms or more, %d also held a hiccup of at least half that, and %d of the %d others (longest %s ms)",
		t.Intervals, words.Millis(time.Duration(t.ThresholdNS)), t.WithHiccup, t.OrdinaryWithHiccup, t.Ordinary, words.Millis(time.Duration(t.LargestHiccupNS)))
}

// bySeconds tells whether the worst seconds can be compared with the others: there are enough of
// them, and hiccups are not in most seconds anyway.
func bySeconds(t *results.Tail) bool {
	return t.Intervals >= worstSeconds && t.Ordinary > 0 && float64(t.OrdinaryWithHiccup) <= (1-hiccupSeconds)*float64(t.Ordinary)
}

// explained tells whether hiccups alone explain a percentile. An ordinary wake-up is no hiccup, so
// their median is left out. If they are far longer than the response, messages did not wait for them.
func explained(c *results.Cell, row results.Percentile) bool {
	at, _ := c.Hiccup.At(row.Percentile)
	usual, _ := value(*c.Hiccup, 50)
	hiccup, known := at.Value()
	response := time.Duration(*row.ValueNS)
	return known && at.SamplesAbove >= histogram.MinAbove && stoodStill(hiccup-usual, response) && stoodStill(response, hiccup)
}

// fewHiccups says why hiccups cannot be compared with the highest percentile that was asked for,
// and "" if they can, or there is nothing to explain.
func fewHiccups(c *results.Cell) string {
	most := slices.Max(c.Plan.Settings.Asked())
	if row, _ := c.Hiccup.At(most); most < 100 && row.SamplesAbove < histogram.MinAbove {
		return fmt.Sprintf("needs a window of %v for %s", results.NeededWindow(most, 1/machine.HiccupPeriod.Seconds()), words.Percentile(most))
	}
	return ""
}

// moreThanUsual tells whether hiccups are so much more frequent in the worst seconds
// than in the others that they explain half of the worst at least, and that chance does
// not explain it, by Fisher's exact test.
func moreThanUsual(t *results.Tail) bool {
	worst := float64(t.WithHiccup) / float64(t.Intervals)
	usual := float64(t.OrdinaryWithHiccup) / float64(t.Ordinary)
	return worst-usual >= hiccupSeconds && stats.Fisher(t.WithHiccup, t.Intervals, t.OrdinaryWithHiccup, t.Ordinary) < hiccupChance
}
