package measure

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// sameMoment is how close faults begin whose harm nobody can tell apart.
const sameMoment = 100 * time.Millisecond

// An aftermath is the part of a cell in which the harm counts for one fault.
type aftermath struct {
	fault       *results.Fault
	began, next time.Duration // next: when the next fault began; endless after the last
	from, to    time.Duration // messages that count, by due
	lossesTo    time.Duration // what was acknowledged and is lost counts, if it was due before
}

const endless = time.Duration(math.MaxInt64)

// assess says what became of the messages after each fault that was made. It is called when
// nothing is recorded any more; lost are the messages that an audit missed, nil if nobody
// looked.
func (h *harm) assess(faults []results.Fault, out load.Outcome, lost *promised) {
	if h == nil {
		return
	}
	after := h.aftermaths(faults, out.DueTill)
	if len(after) == 0 {
		return
	}
	for i := range after {
		h.base(&after[i], after[0])
	}
	h.count(after, out, lost)
	h.catchUps(faults)
}

// aftermaths returns those of the faults that were made, in the order in which they began. Of
// faults that began together only the last has one.
func (h *harm) aftermaths(faults []results.Fault, end time.Duration) (list []aftermath) {
	for i := range faults {
		if f := &faults[i]; f.Done() && time.Duration(f.BeganNS) < end {
			list = append(list, aftermath{fault: f, began: time.Duration(f.BeganNS), next: endless, to: end + 1, lossesTo: endless})
		}
	}
	slices.SortStableFunc(list, func(a, b aftermath) int { return cmp.Compare(a.began, b.began) })
	alone := list[:0]
	for i, a := range list {
		if i+1 == len(list) || list[i+1].began-a.began >= sameMoment {
			alone = append(alone, a)
		}
	}
	slack := h.slack()
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
			before.lossesTo = time.Duration(*healed)
		}
		if i > 1 {
			before.lossesTo = max(before.lossesTo, alone[i-2].lossesTo)
		}
	}
	return alone
}

// base fills in what the slots know.
func (h *harm) base(a *aftermath, first aftermath) {
	end := min(a.next, h.slots.width*time.Duration(len(h.slots.list)))
	a.fault.Harm = &results.Harm{
		FromNS: int64(a.from), ToNS: int64(a.to), StepNS: int64(h.slots.width), WorstNS: int64(h.slots.worst(a.from, a.to)),
	}
	until := len(h.slots.list)
	if a.next != endless {
		until = h.slots.index(a.next) // that slot is the next fault's
	}
	for i := h.slots.index(a.began); i < until; i++ {
		s := &h.slots.list[i]
		a.fault.Harm.Duplicates += int64(s.duplicates.Load())
		a.fault.Harm.OutOfOrder += int64(s.disordered.Load())
	}
	a.fault.Harm.BaseP99NS = h.p99(h.cell.Settings.Warmup, first.from)
	last := min(a.to, end)
	a.fault.Harm.LaterP99NS = h.p99(max(last-max((last-a.began)/10, recoveredFor), a.began), last)
}

// p99 returns that of the messages that were due from one offset to another; nil if they are
// too few.
func (h *harm) p99(from, to time.Duration) *int64 {
	t := h.slots.times(from, to)
	if t == nil || t.Count < leastForP99 {
		return nil
	}
	return &t.P99NS
}
