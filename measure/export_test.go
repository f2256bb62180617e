package measure

import "github.com/brokerbench/brokerbench/requester/load"

// InVirtualTime returns a runner for the bubbles of testing/synctest.
func (r Runner) InVirtualTime() Runner {
	r.newWaiter = load.SleepWaiter
	return r
}
