package machine

import (
	"slices"
	"sync"
	"time"
)

// ClockStep returns by how much the monotonic clock moves at least, when it moves; 0
// if it never moved while it was read. On Linux that is some tens of nanoseconds, which
// is what a reading takes. On Windows Go reads a clock that moves with the system's
// timer interrupt, every 0.5 to 15.6 ms (golang/go#67066). It is measured once, in a
// millisecond or two where the clock is fine.
var ClockStep = sync.OnceValue(func() time.Duration {
	start := time.Now()
	return smallestStep(func() time.Duration { return time.Since(start) })
})

// FineStep is the longest step of a clock that counts as fine: below it, ClockStep is
// the time that a reading takes.
const FineStep = time.Microsecond

// The clock is read until it has moved often enough, or as often as one of 15.6 ms
// needs to move at all, at 5 ns a reading.
const (
	stepsWanted = 2000
	readsAtMost = 4_000_000
)

// smallestStep returns the smallest difference of two successive readings that differ;
// 0 if there is none. A coarse clock need not move often.
func smallestStep(read func() time.Duration) (step time.Duration) {
	last := read()
	for reads, steps := 0, 0; reads < readsAtMost && steps < stepsWanted; reads++ {
		at := read()
		if at <= last {
			continue
		}
		if d := at - last; step == 0 || d < step {
			step = d
		}
		if last, steps = at, steps+1; step >= time.Millisecond/10 && steps >= 3 {
			break
		}
	}
	return step
}

// FastClock tells whether a clock source of the kernel is read without a system
// call and counts nanoseconds: those that the vDSO reads. An empty name, where the
// system shows none, counts as fast.
func FastClock(source string) bool {
	return slices.Contains([]string{
		"", "tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "riscv_clocksource", "timebase",
	}, source)
}
