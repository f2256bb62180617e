package measure

import (
	"time"

	"github.com/brokerbench/brokerbench/plan"
)

// An Auditing is the progress of an audit.
type Auditing struct {
	Cell    plan.Cell
	Elapsed time.Duration // since the audit began
	Read    int64         // messages of this cell that were read so far, including unacknowledged ones
	Acked   int64         // messages that were acknowledged: at least as many are there, if none is lost
}

// auditingEvery is the time between two reports of an audit. One that is over before the
// first is not reported.
const auditingEvery = 500 * time.Millisecond

// report reports the progress of the audit.
func (a *audit) report(begun time.Time, kept *inStore) {
	if a.auditing != nil {
		a.auditing(Auditing{Cell: a.cell, Elapsed: time.Since(begun), Read: kept.read.Load(), Acked: a.acked})
	}
}
