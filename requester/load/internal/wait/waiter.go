// Package wait waits for moments of a schedule.
package wait

import "time"

// A Waiter waits for moments of a schedule. It is used by one goroutine, which is
// locked to its thread.
type Waiter interface {
	// Until returns when due is reached, as soon after it as it can, and at
	// once if it is past.
	Until(due time.Duration)
}

// New makes a waiter for a schedule that begins at start. It is called on
// the thread that will wait.
type New func(start time.Time) Waiter

// Sleep waits with time.Sleep: half a millisecond late in real time
// (golang/go#53824), exact in the virtual time of testing/synctest.
func Sleep(start time.Time) Waiter { return sleeper{start} }

type sleeper struct{ start time.Time }

// Until implements Waiter.
func (s sleeper) Until(due time.Duration) { time.Sleep(due - time.Since(s.start)) }
