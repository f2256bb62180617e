package search

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/plan"
)

// A Status says how the search for an objective ended.
type Status string

// The statuses.
const (
	Found      Status = "found"         // the objective is kept at Rate and not at Above
	AtMax      Status = "kept at --max" // kept at the highest rate that was tried: the target may do more
	NotKept    Status = "not kept"      // not even kept at the lowest rate
	ByClient   Status = "client"        // above Rate the client is the limit: the target may do more
	NotKnown   Status = "unclear"       // it is not known who is the limit above Rate, or at the lowest rate
	NotDecided Status = "not decided"   // the time was over before the rates that keep it and do not were close enough
	Opposed    Status = "not monotone"  // kept at a rate, and missed at a lower one
	Hysteresis Status = "hysteresis"    // an overload made the target slow, and it did not recover
	Unfinished Status = "unfinished"    // an error or an interruption ended the search
)

// A Row is what was found for one objective.
type Row struct {
	Objective plan.Objective `json:"objective"`
	Status    Status         `json:"status"`
	Rate      int            `json:"rate_per_s"`         // the highest that keeps the objective; 0: none was found
	Above     int            `json:"above_per_s"`        // the lowest that does not; 0: none was found. It is above Rate unless the status is Opposed
	At        *Evidence      `json:"at,omitempty"`       // what was measured at Rate
	Over      *Evidence      `json:"over,omitempty"`     // what was measured at Above
	Reason    string         `json:"reason,omitempty"`   // why the objective is not kept at Above or not decided, if the values do not say it all
	SoFar     *SoFar         `json:"so_far,omitempty"`   // where the search stood, if it was not decided
	Needs     time.Duration  `json:"needs_ns,omitempty"` // how long the search would take in all, if it was not decided; 0: not known
}

// SoFar holds the rates inside the decided bracket that lean to either side, by the probes that
// this machine did not disturb. They are not decided.
type SoFar struct {
	Rate  int       `json:"rate_per_s"`     // the highest below Above that kept the objective so far; 0: none
	Above int       `json:"above_per_s"`    // the lowest that missed it so far; 0: none
	At    *Evidence `json:"at,omitempty"`   // what was measured at Rate
	Over  *Evidence `json:"over,omitempty"` // what was measured at Above
}

// Evidence is what all windows of one rate say together about an objective.
type Evidence struct {
	Probes   int           `json:"probes"`
	Window   time.Duration `json:"window_ns"` // of all probes together
	Measured string        `json:"measured"`  // the value that the objective limits
	Messages int64         `json:"messages"`  // 0 for an objective of the rate
	Exceed   int64         `json:"over_limit"`
	Low      float64       `json:"low"`  // of the share over the limit, 99 % confidence, as a part of 1
	High     float64       `json:"high"` // with a pause that may not have been seen
	// Rarer is how rare a pause may be that was not seen: with a probability of 95 %
	// one that comes as often as once in this time would have been. 0 if the objective
	// does not limit a time.
	Rarer time.Duration `json:"rarer_ns,omitempty"`
}

// row returns the result of the track. Ended tells whether the search ended in its
// time, and without an error.
func (t track) row(ended bool) Row {
	s := t.survey()
	r := Row{Objective: t.cfg.Objectives[t.objective], Status: t.status(s, ended)}
	if r.Status == Opposed {
		s.kept, s.missed, _ = t.contradiction()
		s.why = Missed
	}
	r.Rate, r.Above = s.kept, s.missed
	if s.kept > 0 {
		r.At = t.at(s.kept).summary()
	}
	if s.missed > 0 {
		r.Over, r.Reason = t.at(s.missed).summary(), t.at(s.missed).reason(s.why)
	}
	if r.Status == NotDecided {
		r.Needs, r.SoFar = t.needs(), t.soFar(s)
		r.Reason = strings.Join(slices.DeleteFunc([]string{t.disagree(), t.disturbed()}, func(s string) bool { return s == "" }), "; ")
	}
	return r
}

// disagree says at which rate the target is not the same in all probes; "" for none.
func (t track) disagree() string {
	for _, rate := range t.seen.measured() {
		if e := t.at(rate); len(e.answers) >= leastProbes && e.uneven() {
			overloads := "1 was an overload"
			if e.overloads > 1 {
				overloads = fmt.Sprintf("%d were overloads", e.overloads)
			}
			return fmt.Sprintf("of %d probes at %d/s %d kept it, and %s: the speed of the target varies", len(e.answers), rate, e.kept(), overloads)
		}
	}
	return ""
}

// disturbed says in how many probes this machine was in the way; "" for none.
func (t track) disturbed() string {
	disturbed, all := 0, 0
	for _, list := range t.seen.rates {
		w := list[t.objective]
		disturbed, all = disturbed+w.disturbed(), all+len(w.all.answers)
	}
	if disturbed == 0 {
		return ""
	}
	return fmt.Sprintf("this machine disturbed %d of %s", disturbed, words.Plural(all, "probe"))
}

// soFar returns the rates between those that are decided which lean to either side; nil for none.
func (t track) soFar(s bracket) *SoFar {
	var f SoFar
	for _, rate := range t.seen.measured() {
		e := t.seen.complete(t.seen.rates[rate][t.objective].own, rate, t.objective)
		if rate <= s.kept || len(e.answers) == 0 {
			continue
		}
		if s.missed > 0 && rate >= s.missed {
			break
		}
		if !e.leansKept() {
			f.Above, f.Over = rate, e.summary()
			break
		}
		f.Rate, f.At = rate, e.summary()
	}
	if f.Rate == 0 && f.Above == 0 {
		return nil
	}
	return &f
}

func (e evidence) summary() *Evidence {
	found := &Evidence{
		Probes: len(e.answers), Window: e.length, Measured: e.measured(),
		Messages: int64(e.all.of), Exceed: int64(e.all.over),
	}
	if e.counted() {
		share := e.bounds(1)
		found.Low, found.High = share.low, share.high
	}
	if e.objective.Metric == "" {
		found.Rarer = time.Duration(e.pool.of / -math.Log(0.05) * float64(time.Second))
	}
	return found
}

func (t track) status(s bracket, ended bool) Status {
	switch {
	case t.opposed():
		return Opposed
	case !t.over(s) && ended:
		return NotDecided
	case !t.over(s):
		return Unfinished
	case s.missed == 0:
		return AtMax
	case s.why == Client:
		return ByClient
	case s.why == Unclear:
		return NotKnown
	case s.kept == 0:
		return NotKept
	}
	return Found
}

// Worst returns the worst status of all rows. An objective that is not kept at all
// is worse than one whose rate is not known, and that is worse than one whose rate
// was found.
func Worst(list []Result) Status {
	for _, status := range []Status{Unfinished, NotKept, Hysteresis, Opposed, NotDecided, NotKnown, ByClient, AtMax} {
		for _, r := range list {
			if slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Status == status }) {
				return status
			}
		}
	}
	return Found
}
