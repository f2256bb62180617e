package claims

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/stats"
	"github.com/brokerbench/brokerbench/results"
)

// countLost counts the acknowledged messages that are lost. One of them contradicts the claim, even
// in a repeat that is INVALID or was interrupted.
func (j *Judged) countLost(trials []compare.Trial) (contradicted bool) {
	var acked, missing int64
	for _, t := range trials {
		if a := t.Cell.Audit; a != nil && a.Error == "" {
			acked, missing = acked+a.Acked, missing+a.Missing
		}
	}
	if missing > 0 {
		j.Outcome, j.Reason = Contradicted, fmt.Sprintf("%d of %d acknowledged messages are lost", missing, acked)
	}
	return missing > 0
}

// stateNoneLost states that nothing is lost, if everything that could lose a message was done and each
// store was read.
func (j *Judged) stateNoneLost(trials []compare.Trial) {
	trials, ok := j.measured(trials, Side{Target: j.Lost.Target})
	if !ok {
		return
	}
	var acked int64
	for _, t := range trials {
		a := t.Cell.Audit
		fault := slices.IndexFunc(t.Cell.Faults, func(f results.Fault) bool { return !f.Done() })
		switch {
		case a == nil:
			j.undecided("the store of %s was not read in %s", j.Lost.Target, t.Repeat())
			return
		case a.Error != "":
			j.undecided("the store of %s in %s: %s", j.Lost.Target, t.Repeat(), a.Error)
			return
		case a.Discarded > 0:
			j.undecided("the store of %s in %s: %s", j.Lost.Target, t.Repeat(), a.Undecided())
			return
		case fault >= 0:
			j.undecided("fault %d of %s was not made in %s", fault, j.Lost.Target, t.Repeat())
			return
		}
		acked += a.Acked
	}
	if j.Outcome = Reproduced; acked == 0 {
		j.Outcome = NotDecided
	}
	j.Reason = fmt.Sprintf("0 of %d acknowledged messages are lost", acked)
}

// stateOutage states that the outages are shorter than the claim's time.
func (j *Judged) stateOutage(trials []compare.Trial) {
	trials, ok := j.measured(trials, Side{Target: j.Outage.Target})
	if !ok {
		return
	}
	var sample stats.LogRatios
	for _, t := range trials {
		if len(t.Cell.Faults) <= j.Outage.Fault || t.Cell.Faults[j.Outage.Fault].Impact == nil {
			j.undecided("%s of %s has no fault %d", t.Repeat(), j.Outage.Target, j.Outage.Fault)
			return
		}
		o := t.Cell.Faults[j.Outage.Fault].Impact.Outage()
		if o == nil || o.Unknown || o.Shown && !o.Over() {
			j.undecided("the end of the outage of %s in %s is unknown", j.Outage.Target, t.Repeat())
			return
		}
		sample = append(sample, math.Log(max(o.For(), time.Nanosecond).Seconds()/j.Outage.BelowS))
	}
	j.add(fmt.Sprintf("outage of %s / %v s", j.Outage.Target, j.Outage.BelowS), sample, sample, 0, 1)
}
