package wait

import (
	"time"

	"golang.org/x/sys/unix"
)

// LeastSpin is the shortest window that [Kernel] keeps to.
const LeastSpin time.Duration = 0

// Kernel waits with clock_nanosleep to an absolute time until spin before
// due, and then spins. It sets the thread's timer slack to 1 ns, which is 50 µs
// otherwise.
func Kernel(spin time.Duration) New {
	return func(start time.Time) Waiter {
		// Without the privilege the wake-ups are up to 50 µs later; nothing else.
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
		return &kernelWaiter{start: start, spin: spin, base: kernelOffset(start)}
	}
}

type kernelWaiter struct {
	start time.Time
	spin  time.Duration
	base  int64 // start on CLOCK_MONOTONIC, in nanoseconds
	until unix.Timespec
}

// Until implements Waiter. It allocates nothing.
func (w *kernelWaiter) Until(due time.Duration) {
	for {
		left := due - time.Since(w.start)
		if left <= 0 {
			return
		}
		if left <= w.spin {
			continue
		}
		w.until = unix.NsecToTimespec(w.base + int64(due-w.spin))
		// An error is EINTR, after which the loop looks at the clock again.
		_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &w.until, nil)
	}
}

// kernelOffset returns start on CLOCK_MONOTONIC. Go's monotonic clock is the same
// clock with an unknown zero; of several readings of both, the closest pair
// tells the difference.
func kernelOffset(start time.Time) int64 {
	var base int64
	closest := time.Hour
	for range 10 {
		var ts unix.Timespec
		before := time.Since(start)
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
			panic("wait: clock_gettime: " + err.Error()) // only a wrong clock number can cause it
		}
		if gap := time.Since(start) - before; gap < closest {
			closest, base = gap, ts.Nano()-int64(before+gap/2)
		}
	}
	return base
}

// ThreadTime returns the CPU time of this thread; 0 if the system does not tell.
func ThreadTime() time.Duration {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_THREAD, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
