package measure

import (
	"context"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// A Breaker breaks what the plan's faults say while a cell is measured, and mends it again.
type Breaker interface {
	// Begin is called when the schedule begins, with the moment of the first due and the
	// length of the warm-up, from which faults count. It returns at once.
	Begin(f requester.Factory, start time.Time, warmup time.Duration)
	// Heal mends what is still broken, and waits until it is, at most until ctx is done: then it
	// returns within half a second, whatever is still under way. It is called once, when nothing is sent or awaited any more, before the audit. It returns
	// what was done, in the order of the plan, without Harm.
	Heal(ctx context.Context) []results.Fault
}
