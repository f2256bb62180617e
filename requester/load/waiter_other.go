//go:build !linux

package load

import "time"

// LeastSpin is the shortest window that [KernelWaiter] keeps to: how late time.Sleep
// may be.
const LeastSpin = 2 * time.Millisecond

// KernelWaiter waits with time.Sleep until 2 ms before due, and then spins: there
// is no kernel sleep here that is both exact and portable. At more than 500/s it
// takes a whole core. Only a spin above [LeastSpin] makes a difference.
func KernelWaiter(spin time.Duration) NewWaiter {
	return func(start time.Time) Waiter { return spinner{start, max(spin, LeastSpin)} }
}

type spinner struct {
	start time.Time
	spin  time.Duration
}

// Until implements Waiter.
func (s spinner) Until(due time.Duration) {
	time.Sleep(due - s.spin - time.Since(s.start))
	for time.Since(s.start) < due {
	}
}

// threadTime is not known here.
func threadTime() time.Duration { return 0 }
