//go:build !linux

package machine

import (
	"time"

	"github.com/brokerbench/brokerbench/requester/load"
)

// hiccupWaiter sleeps with time.Sleep, whose own error, up to a millisecond and
// more, is in every value: what a sender does elsewhere than on Linux, spinning,
// would take a core.
func hiccupWaiter(start time.Time) load.Waiter { return load.SleepWaiter(start) }
