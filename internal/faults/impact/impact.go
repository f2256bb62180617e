// Package impact makes the faults of a cell happen, with an [Injector], and finds out what they did
// to its messages: outages, losses, and the time until the system had recovered. It also pauses
// consumers, a fault for which no injector is needed.
package impact

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// sameMoment is how close together faults begin whose impact cannot be told apart.
const sameMoment = 100 * time.Millisecond

// A span is the part of a cell in which the impact counts for one fault.
type span struct {
	fault       *results.Fault
	began, next time.Duration // next: when the next fault began; endless after the last
	from, to    time.Duration // messages that count, by due
	lossesTo    time.Duration // the fault may have lost what was due before
}

const endless = time.Duration(math.MaxInt64)

// assess writes the impact of each fault that happened. Lost are the acknowledged messages that
// the audit did not find; nil if that is unknown.
func (r *recorder) assess(faults []results.Fault, out load.Outcome, lost *record.Bitmap) {
	after := r.spans(faults, out.DueTill)
	if len(after) == 0 {
		return
	}
	for i := range after {
		r.base(&after[i])
	}
	r.count(after, out, lost)
	r.catchUps(faults)
}

// spans returns the spans of the faults that happened, in the order in which they began. Of
// faults that began together only the last has one.
func (r *recorder) spans(faults []results.Fault, end time.Duration) (list []span) {
	for i := range faults {
		if f := &faults[i]; f.Done() && time.Duration(f.BeganNS) < end {
			list = append(list, span{fault: f, began: time.Duration(f.BeganNS), next: endless, to: end + 1, lossesTo: endless})
		}
	}
	slices.SortStableFunc(list, func(a, b span) int { return cmp.Compare(a.began, b.began) })
	alone := list[:0]
	for i, a := range list {
		if i+1 == len(list) || list[i+1].began-a.began >= sameMoment {
			alone = append(alone, a)
		}
	}
	slack := r.slack()
	for i := range alone {
		a := &alone[i]
		a.from = max(a.began-slack, 0)
		if i == 0 {
			continue
		}
		before := &alone[i-1]
		a.from = max(a.from, before.from)
		before.next, before.to = a.began, a.from
		if healed := before.fault.HealedNS; healed != nil { // else all that is lost may be its
			before.lossesTo = max(a.began, time.Duration(*healed))
		}
	}
	return alone
}

// base fills in the slots' part of the impact.
func (r *recorder) base(a *span) {
	end := min(a.next, r.slots.width*time.Duration(len(r.slots.List)))
	a.fault.Impact = &results.Impact{
		FromNS: int64(a.from), ToNS: int64(a.to), StepNS: int64(r.slots.width), WorstNS: int64(r.slots.worst(a.from, a.to)),
	}
	until := len(r.slots.List)
	if a.next != endless {
		until = r.slots.index(a.next) // that slot is the next fault's
	}
	for i := r.slots.index(a.began); i < until; i++ {
		s := &r.slots.List[i]
		a.fault.Impact.Duplicates += int64(s.Duplicates)
		a.fault.Impact.OutOfOrder += int64(s.Disordered)
	}
	last := min(a.to, end)
	if t := r.slots.times(max(last-max((last-a.began)/10, recoveredFor), a.began), last); t != nil && t.Count >= leastForP99 {
		a.fault.Impact.LaterP99NS = &t.P99NS
	}
}
