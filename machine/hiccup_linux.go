package machine

import (
	"time"

	"github.com/brokerbench/brokerbench/requester/load"
)

// hiccupWaiter waits as a sender does, but never spins.
func hiccupWaiter(start time.Time) load.Waiter { return load.KernelWaiter(0)(start) }
