package search

import (
	"slices"

	"github.com/brokerbench/brokerbench/plan"
)

// A Status says how the search for an objective ended.
type Status string

// The statuses.
const (
	Found      Status = "found"         // longer runs kept the objective at Rate and not at Above
	AtMax      Status = "kept at --max" // kept at the highest rate that was tried: the target may do more
	NotKept    Status = "not kept"      // not even kept at the lowest rate
	ByClient   Status = "client"        // above Rate the client is the limit: the target may do more
	NotKnown   Status = "unclear"       // it is not known who is the limit above Rate, or at the lowest rate
	Unfinished Status = "unfinished"    // an error or an interruption ended the search
)

// A Row is what was found for one objective.
type Row struct {
	Objective plan.Objective `json:"objective"`
	Status    Status         `json:"status"`
	Rate      int            `json:"rate_per_s"`       // the highest that keeps the objective; 0: none, or not known
	Above     int            `json:"above_per_s"`      // the lowest that does not; 0: none was found
	Confirmed bool           `json:"confirmed"`        // a longer run kept the objective at Rate
	Steps     int            `json:"steps"`            // of the precision, by which confirming moved the rate; negative is down
	At        string         `json:"at,omitempty"`     // the value measured at Rate
	Over      string         `json:"over,omitempty"`   // the value measured at Above
	Reason    string         `json:"reason,omitempty"` // why the objective is not kept at Above, if the value does not say it all
}

// row returns the result of the track.
func (t *track) row(seen book) Row {
	r := Row{
		Objective: t.cfg.Objectives[t.objective], Status: t.status(),
		Rate: t.kept, Above: t.above, Confirmed: t.proved, Steps: t.steps,
	}
	if t.lost && t.kept == 0 {
		r.Rate = seen.confirmed(t.objective, t.above)
		r.Confirmed = r.Rate > 0
	}
	if r.Rate > 0 {
		r.At = seen.judgement(point{r.Rate, true}, t.objective, Kept).Measured
	}
	if t.above > 0 {
		over := seen.judgement(point{t.above, true}, t.objective, t.why)
		r.Over, r.Reason = over.Measured, over.Reason
		if len(seen[point{t.above, true}])+len(seen[point{rate: t.above}]) == 0 {
			r.Above = 0 // interrupted before it was measured
		}
	}
	if t.lost {
		r.Reason = "longer runs do not confirm what short ones say: search again with a longer window"
	}
	return r
}

func (t *track) status() Status {
	switch {
	case t.phase != done:
		return Unfinished
	case t.lost:
		return NotKnown
	case t.above == 0:
		return AtMax
	}
	switch t.why {
	case Client:
		return ByClient
	case Unclear:
		return NotKnown
	case Kept, Missed:
	}
	if t.kept == 0 {
		return NotKept
	}
	return Found
}

// Worst returns the worst status of all rows. An objective that is not kept at all
// is worse than one whose rate is not known, and that is worse than one whose rate
// was found.
func Worst(list []Result) Status {
	for _, status := range []Status{Unfinished, NotKept, NotKnown, ByClient, AtMax} {
		for _, r := range list {
			if slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Status == status }) {
				return status
			}
		}
	}
	return Found
}
