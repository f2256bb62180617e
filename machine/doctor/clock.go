package doctor

import (
	"fmt"
	"io/fs"
	"time"

	"github.com/brokerbench/brokerbench/machine"
)

// slowClock is what reading the clock may take: each message reads it three times.
const slowClock = 250 * time.Nanosecond

// clocks judges the clock source, and how long reading the clock takes and how
// fine its steps are.
func clocks(root fs.FS) []Finding {
	source, known := line(root, "sys/devices/system/clocksource/clocksource0/current_clocksource")
	first := unknown("clock source", "the system does not tell")
	if known {
		first = judge("clock source", source, machine.FastClock(source),
			"boot with clocksource=tsc, or choose one of available_clocksource that needs no system call")
	}
	cost, step := readClock()
	value := fmt.Sprintf("%v to read, steps of %v", cost, step)
	return []Finding{first, judge("clock", value, cost <= slowClock && step <= time.Microsecond, "see clock source: each message reads the clock three times")}
}

// readClock returns how long reading the monotonic clock takes, and its smallest
// step.
func readClock() (cost, step time.Duration) {
	const reads = 20_000
	start, last := time.Now(), time.Duration(0)
	step = time.Hour
	for range reads {
		at := time.Since(start)
		if at > last {
			step, last = min(step, at-last), at
		}
	}
	return time.Since(start) / reads, step
}
