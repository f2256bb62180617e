package machine

import (
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// A HostClock is a clock that all processes of a machine read alike.
type HostClock struct {
	at    time.Time // a moment of this process, with its monotonic reading
	shown int64     // what the clock showed then, in nanoseconds
}

// NewHostClock compares the monotonic clock of this process with that of the machine; ok is
// false if Go reads another clock than the system offers. On Linux both are CLOCK_MONOTONIC:
// they never drift apart, and their difference is known to the time of two readings, which is
// less than a microsecond.
func NewHostClock() (c HostClock, ok bool) {
	closest := time.Duration(1<<63 - 1)
	for range hostClockReadings {
		before := time.Now()
		shown, ok := readHostClock()
		took := time.Since(before)
		if !ok {
			return HostClock{}, false
		}
		if took < closest {
			closest, c = took, HostClock{before.Add(took / 2), shown}
		}
	}
	return c, true
}

// Moment returns the present moment; zero if the machine does not tell it to other processes.
func Moment() results.Moment {
	shown, ok := readHostClock()
	boot := System{Root: "/"}.FirstLine("proc/sys/kernel/random/boot_id")
	if !ok || boot == "" {
		return results.Moment{}
	}
	return results.Moment{Boot: boot, UptimeNS: shown}
}

// hostClockReadings is how often the clocks are compared. The closest counts.
const hostClockReadings = 200

// At returns what the clock shows at a moment of this process, in nanoseconds.
func (c HostClock) At(t time.Time) int64 { return c.shown + int64(t.Sub(c.at)) }

// Now returns what the clock shows, in nanoseconds.
func (c HostClock) Now() int64 { return c.shown + int64(time.Since(c.at)) }
