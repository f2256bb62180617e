package measure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	hardware "github.com/brokerbench/brokerbench/machine"
	"github.com/brokerbench/brokerbench/results"
)

// The limits of the rules below. Suspect: something besides the broker may be in
// the numbers. Invalid: a number that was asked for is missing or wrong.
const (
	rateSuspect  = 0.99 // reached below this part of what was due: the target was behind at the end
	rateInvalid  = 0.95 // below this, in an overload, the percentiles are about the length of the run
	overload     = 0.25 // response p50 above this part of the maximum: in an overload, where waits grow all the time, it is half
	lagInMedian  = 0.5  // lag p50 above this part of response p50: the median is the generator's
	floorNear    = 0.75 // floor above this part of the result: little of it is the broker's
	tailByHiccup = 0.5  // of the worst intervals: from here on hiccups explain them
	processBusy  = 0.8  // of the cores that Go may use
	machineBusy  = 0.9  // of the machine's cores
	stolen       = 0.01 // of the machine's cores
)

// surroundings are what a verdict goes by besides the cell itself.
type surroundings struct {
	shared bool   // the target is on this machine
	clock  string // the kernel's clock source; "" if it does not tell
}

// problems applies every rule to a cell.
func problems(c *results.Cell, s surroundings) []results.Problem {
	return slices.Concat(interruption(c), missing(c), strays(c), noticed(c), running(c, s), fewSamples(c))
}

// running applies the rules that mean something while the cell still runs.
func running(c *results.Cell, s surroundings) []results.Problem {
	return slices.Concat(
		clamped(c), rate(c), lagging(c), nearFloor(c), hiccups(c),
		process(c), busy(c), steal(c), throttled(c), clock(s.clock), machine(s.shared),
	)
}

func problem(code string, severity results.Verdict, format string, args ...any) []results.Problem {
	return []results.Problem{{Code: code, Severity: severity, Text: fmt.Sprintf(format, args...)}}
}

// interruption: what came in before the interruption is right, but it is not
// what was asked for.
func interruption(c *results.Cell) []results.Problem {
	if !c.Interrupted {
		return nil
	}
	return problem("interrupted", results.Invalid, "interrupted: %d ops were due until then", c.Ledger.Due)
}

// missing: ops that are not done rank above every reply. Where they reach a
// percentile of the table or one that was asked for, that one is unknown.
func missing(c *results.Cell) []results.Problem {
	l := c.Ledger
	if l.Due == 0 && !c.Interrupted {
		return problem("empty", results.Invalid, "no op was due in the window")
	}
	if l.Missing() == 0 {
		return nil
	}
	severity := results.Suspect
	for _, p := range slices.Concat(results.Headline(), c.Plan.Settings.Asked()) {
		if row, ok := c.Response.At(p); ok && row.ValueNS == nil {
			severity = results.Invalid
		}
	}
	text := fmt.Sprintf("%d of %d ops are not done (%.4f %%): %d failed, %d lost, %d unsent",
		l.Missing(), l.Due, 100*float64(l.Missing())/float64(l.Due), l.Failed, l.Lost, l.Unsent)
	if len(c.Failures) > 0 {
		text += "; most failed with: " + c.Failures[0].Cause
	}
	return problem("missing", severity, "%s", text)
}

// strays: replies that belong to no op.
func strays(c *results.Cell) []results.Problem {
	s := c.Strays
	if s == (results.Strays{}) {
		return nil
	}
	return problem("strays", results.Suspect, "replies that belong to no op: %d duplicate, %d foreign, %d corrupt",
		s.Duplicate, s.Foreign, s.Corrupt)
}

// clamped: a value outside the histogram's range was counted at its end.
func clamped(c *results.Cell) []results.Problem {
	n := c.Response.Clamped + c.Service.Clamped + c.Lag.Clamped
	if n == 0 {
		return nil
	}
	return problem("clamped", results.Invalid, "%d values were above the histogram's hour and are counted as an hour", n)
}

// rate: ops were done more slowly than they were due, so response times grow
// with the length of the run.
func rate(c *results.Cell) []results.Problem {
	part := c.ReachedPerS / c.OfferedPerS
	if c.OfferedPerS == 0 || part >= rateSuspect {
		return nil
	}
	severity, whose := results.Suspect, "the target was behind at the end"
	median, _ := value(c.Response, 50)
	if part < rateInvalid && float64(median) >= overload*float64(c.Response.MaxNS) {
		severity, whose = results.Invalid, "the target does not carry this rate"
	}
	if f := c.Floor; f != nil && f.Echo.ReachedPerS < rateSuspect*c.OfferedPerS {
		whose = fmt.Sprintf("but this client reached only %.0f/s against a TCP echo: it is the limit", f.Echo.ReachedPerS)
	}
	return problem("rate", severity, "%.0f/s were due and %.0f/s done (%.1f %%): %s, and response times depend on how long the run was",
		c.OfferedPerS, c.ReachedPerS, 100*part, whose)
}

// lagging: the generator itself was late by as much as what it measures.
func lagging(c *results.Cell) []results.Problem {
	median, known := value(c.Response, 50)
	lag50, lag99 := orZero(c.Lag, 50), orZero(c.Lag, 99)
	switch {
	case !known:
		return nil
	case float64(lag50) > lagInMedian*float64(median):
		return problem("lag", results.Suspect, "the generator was late: lag p50 is %s ms of a response p50 of %s ms (more --senders, a lower rate, or another machine for the broker)",
			millis(lag50), millis(median))
	case lag99 > median:
		return problem("lag", results.Suspect, "the generator was late: lag p99 is %s ms, above the response p50 of %s ms; it is in the response times from p99 on",
			millis(lag99), millis(median))
	}
	return nil
}

// noticed: what connections noticed beside their requests.
func noticed(c *results.Cell) []results.Problem {
	if len(c.Events) == 0 {
		return nil
	}
	return problem("events", results.Suspect, "%d events on the connections, the first: %s", len(c.Events), c.Events[0].Text)
}

// fewSamples: a percentile that was asked for has too few ops above it to say
// something about the system rather than about which few ops it met.
func fewSamples(c *results.Cell) []results.Problem {
	planned := float64(c.Plan.Shape.Rate) * c.Plan.Settings.Duration.Seconds()
	for _, p := range slices.Backward(slices.Sorted(slices.Values(c.Plan.Settings.Asked()))) {
		row, ok := c.Response.At(p)
		if !ok || row.Trusted || row.ValueNS == nil || c.Response.Count == 0 {
			continue
		}
		needed := histogram.MinAbove / (1 - p/100)
		if planned >= needed {
			return problem("samples", results.Suspect, "p%v has %d ops above it, fewer than %d: it is not to be relied on", p, row.SamplesAbove, histogram.MinAbove)
		}
		window := time.Duration(math.Ceil(needed/float64(c.Plan.Shape.Rate)-1e-9)) * time.Second
		return problem("window", results.Suspect, "p%v has %d ops above it, fewer than %d: a window of %v would do, or ask for less with --percentiles",
			p, row.SamplesAbove, histogram.MinAbove, window)
	}
	return nil
}

// nearFloor: most of the result is what the tool and the kernel take without a
// broker.
func nearFloor(c *results.Cell) []results.Problem {
	if c.Floor == nil {
		return nil
	}
	for _, p := range results.Headline() {
		result, known := value(c.Response, p)
		row, _ := c.Floor.Echo.Response.At(p)
		if !known || !row.Trusted {
			continue
		}
		if floor := time.Duration(*row.ValueNS); float64(floor) >= floorNear*float64(result) {
			return problem("floor", results.Suspect, "p%v is %s ms, and a TCP echo in place of the broker takes %s ms: most of it is the tool and the kernel",
				p, millis(result), millis(floor))
		}
	}
	return nil
}

// hiccups: the worst came when this process was kept from running.
func hiccups(c *results.Cell) []results.Problem {
	t := c.Tail
	if t == nil || t.Intervals == 0 || float64(t.WithHiccup) < tailByHiccup*float64(t.Intervals) {
		return nil
	}
	return problem("hiccups", results.Suspect,
		"the tail is this machine's: of the %d seconds with responses of %s ms and more, %d also held a hiccup of at least half that (longest %s ms)",
		t.Intervals, millis(time.Duration(t.ThresholdNS)), t.WithHiccup, millis(time.Duration(t.LargestHiccupNS)))
}

// process: this process used up what Go may use.
func process(c *results.Cell) []results.Problem {
	if c.Usage == nil || c.Usage.Machine == nil {
		return nil
	}
	used, cores := c.Usage.Process.CPUCores, float64(cmp.Or(c.Usage.Machine.CPUs, 1))
	if used < processBusy*cores {
		return nil
	}
	return problem("process-cpu", results.Suspect, "brokerbench used %.2f of %.0f cores: it may be the limit", used, cores)
}

// busy: the machine had no core to spare.
func busy(c *results.Cell) []results.Problem {
	if c.Usage == nil || c.Usage.Machine == nil {
		return nil
	}
	m := c.Usage.Machine
	if m.BusyCores < machineBusy*float64(m.CPUs) {
		return nil
	}
	return problem("machine-cpu", results.Suspect, "the machine was busy: %.2f of %d cores, %.2f of them by brokerbench; ops waited for a core",
		m.BusyCores, m.CPUs, c.Usage.Process.CPUCores)
}

// steal: the hypervisor ran somebody else.
func steal(c *results.Cell) []results.Problem {
	if c.Usage == nil || c.Usage.Machine == nil {
		return nil
	}
	m := c.Usage.Machine
	if m.StealCores < stolen*float64(m.CPUs) {
		return nil
	}
	return problem("steal", results.Suspect, "the hypervisor took %.1f %% of this machine's cores away", 100*m.StealCores/float64(m.CPUs))
}

// throttled: the cgroup's CPU quota ran out.
func throttled(c *results.Cell) []results.Problem {
	if c.Usage == nil || c.Usage.Machine == nil || c.Usage.Machine.ThrottledNS == nil || *c.Usage.Machine.ThrottledNS == 0 {
		return nil
	}
	return problem("throttled", results.Suspect, "the CPU quota of this cgroup ran out for %s ms", millis(time.Duration(*c.Usage.Machine.ThrottledNS)))
}

// clock: reading the clock is a system call, or coarse.
func clock(source string) []results.Problem {
	if hardware.FastClock(source) {
		return nil
	}
	return problem("clock", results.Suspect, "the clock source is %s, which is slow or coarse to read: every stamp costs (boot with clocksource=tsc)", source)
}

// machine: client and broker compete for the same cores.
func machine(shared bool) []results.Problem {
	if !shared {
		return nil
	}
	return problem("shared-machine", results.Valid, "client and broker share this machine: they compete for its cores")
}
