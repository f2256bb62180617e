package doctor

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/machine"
)

// slowClock is what reading the clock may take: each message reads it three times.
const slowClock = 250 * time.Nanosecond

// clocks judges the clock source, and how long reading the clock takes and how
// fine its steps are.
func clocks(s machine.System) []Finding {
	source := s.ClockSource
	first := unknown("clock source", "the system does not tell")
	if source != "" {
		first = judge("clock source", source, machine.FastClock(source),
			"boot with clocksource=tsc, or choose one of available_clocksource that needs no system call")
	}
	cost, step := readClock(), machine.ClockStep()
	remedy := "see clock source: each message reads the clock three times"
	if step > machine.FineStep {
		remedy = "measure on Linux: here response times of less than twenty steps say little"
	}
	value := fmt.Sprintf("%v to read, steps of %v", cost, step)
	return []Finding{first, judge("clock", value, cost <= slowClock && step <= machine.FineStep && step > 0, remedy)}
}

// readClock returns how long reading the monotonic clock takes.
func readClock() (cost time.Duration) {
	const reads = 20_000
	start, last := time.Now(), time.Duration(0)
	for range reads {
		last = time.Since(start)
	}
	return last / reads
}
