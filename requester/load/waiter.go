package load

import (
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load/internal/wait"
)

// A Waiter waits for moments of a schedule. It is used by one goroutine, which is
// locked to its thread.
type Waiter = wait.Waiter

// NewWaiter makes a waiter for a schedule that begins at start. It is called on
// the thread that will wait.
type NewWaiter = wait.New

// LeastSpin is the shortest window that [KernelWaiter] keeps to: 0 on Linux, where a sleep is exact.
const LeastSpin = wait.LeastSpin

// SleepWaiter waits with time.Sleep: half a millisecond late in real time
// (golang/go#53824), exact in the virtual time of testing/synctest.
func SleepWaiter(start time.Time) Waiter { return wait.Sleep(start) }

// KernelWaiter waits until spin before due, and then spins: with clock_nanosleep on Linux, and with
// time.Sleep elsewhere.
func KernelWaiter(spin time.Duration) NewWaiter { return wait.Kernel(spin) }

// DefaultSpin returns how long before due a sender stops sleeping and spins, for
// a rate over that many senders, in a process that may use so many cores: 100 µs or
// 50 µs, whichever takes no more than a third of a core, else nothing. Where cores are
// few, spinning takes what the broker needs: the lag gets better and the response worse
// (docs/decisions, number 4). Where a sender has four cores it is 100 µs at any rate.
func DefaultSpin(rate schedule.Rate, senders int, cores float64) time.Duration {
	senders = max(senders, 1)
	for _, window := range []time.Duration{100 * time.Microsecond, 50 * time.Microsecond} {
		busy := float64(rate) / float64(senders) * window.Seconds()
		if busy <= 1./3 || cores >= float64(4*senders) {
			return window
		}
	}
	return 0
}
