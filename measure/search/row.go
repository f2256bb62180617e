package search

import "github.com/brokerbench/brokerbench/plan"

// A Status says what a search found for an objective.
type Status string

// The statuses.
const (
	Found      Status = "found"         // kept at Rate and not at Above, both with a longer run
	AtMax      Status = "kept at --max" // kept at the highest rate that was allowed: the target may do more
	NotKept    Status = "not kept"      // not even at the lowest rate
	ByClient   Status = "client"        // above Rate this client is the limit: the target may do more
	NotKnown   Status = "unclear"       // above Rate, or at the lowest rate, it is not known who is
	Unfinished Status = "unfinished"    // an error, or an interruption, came before
)

// A Row is what was found for one objective.
type Row struct {
	Objective plan.Objective `json:"objective"`
	Status    Status         `json:"status"`
	Rate      int            `json:"rate_per_s"`       // the highest that is kept; 0: none, or not known
	Above     int            `json:"above_per_s"`      // the lowest that is not; 0: none was met
	Confirmed bool           `json:"confirmed"`        // a longer run kept it at Rate
	Steps     int            `json:"steps"`            // of the precision by which confirming moved the rate; down is negative
	At        string         `json:"at,omitempty"`     // what was measured at Rate
	Over      string         `json:"over,omitempty"`   // what was measured at Above
	Reason    string         `json:"reason,omitempty"` // why Above is not kept, if it is not the target alone
}

// row returns what the track found.
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

// Worst returns the status that tells most about a search as a whole: an
// objective that is not kept at all before one whose rate is not known, before
// one whose rate is.
func Worst(list []Result) Status {
	order := []Status{Unfinished, NotKept, NotKnown, ByClient, AtMax, Found}
	worst := len(order) - 1
	for _, r := range list {
		for _, row := range r.Rows {
			for i, s := range order[:worst] {
				if row.Status == s {
					worst = i
				}
			}
		}
	}
	return order[worst]
}
