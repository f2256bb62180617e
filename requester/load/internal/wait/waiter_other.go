//go:build !linux

package wait

import "time"

// LeastSpin is the shortest window that [Kernel] keeps to: how late time.Sleep
// may be.
const LeastSpin = 2 * time.Millisecond

// Kernel waits with time.Sleep until 2 ms before due, and then spins: there
// is no kernel sleep here that is both exact and portable. At more than 500/s it
// takes a whole core. Only a spin above [LeastSpin] makes a difference.
func Kernel(spin time.Duration) New {
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

// ThreadTime is not known here.
func ThreadTime() time.Duration { return 0 }
