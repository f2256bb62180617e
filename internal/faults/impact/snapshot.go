package impact

import (
	"fmt"

	"github.com/brokerbench/brokerbench/internal/record"
)

// A snapshot is what faults did to the messages of an agent's part, as the agent sends it.
// Its size is bounded as that of a recorder is.
type snapshot struct {
	WorstWarmup, WorstBefore int64
	Deliveries, Acks         *connGaps
	Slots                    *slots
	Pauses                   []*consumerPause
	Done, Failed, Acked      record.BitmapSnapshot
	Audited                  bool // the audit read the store to its end
	Lost                     record.BitmapSnapshot
}

// snapshot returns what was recorded. Lost are the acknowledged messages that the audit did not
// find; nil if that is unknown.
func (r *recorder) snapshot(lost *record.Bitmap) snapshot {
	s := snapshot{
		WorstWarmup: r.worstWarmup, WorstBefore: r.worstBefore,
		Deliveries: r.deliveries, Acks: r.acks, Slots: r.slots, Pauses: r.pauses,
		Done: r.done.Snapshot(), Failed: r.failed.Snapshot(), Acked: r.acked.Snapshot(), Audited: lost != nil,
	}
	if lost != nil {
		s.Lost = lost.Snapshot()
	}
	return s
}

// add adds the snapshot of part i of so many.
func (r *recorder) add(s snapshot, part, of int) error {
	r.worstWarmup, r.worstBefore = max(r.worstWarmup, s.WorstWarmup), max(r.worstBefore, s.WorstBefore)
	for _, one := range []struct {
		to   *record.Bitmap
		from record.BitmapSnapshot
	}{{r.done, s.Done}, {r.failed, s.Failed}, {r.acked, s.Acked}} {
		if err := one.to.Merge(one.from, part, of); err != nil {
			return err
		}
	}
	if err := r.deliveries.add(s.Deliveries, part, of); err != nil {
		return err
	}
	if err := r.acks.add(s.Acks, part, of); err != nil {
		return err
	}
	return r.slots.add(s.Slots)
}

// add adds the slots of a part.
func (s *slots) add(part *slots) error {
	if len(part.List) != len(s.List) {
		return fmt.Errorf("%d slots: %d are expected", len(part.List), len(s.List))
	}
	for i := range part.List {
		to, from := &s.List[i], &part.List[i]
		to.Worst = max(to.Worst, from.Worst)
		to.Duplicates += from.Duplicates
		to.Disordered += from.Disordered
		for step, n := range from.Responses {
			to.Responses[step] += n
		}
	}
	return nil
}

// add adds the pause of an agent's consumers. The sum lasts from the first that stopped until the
// last that went on.
func (p *consumerPause) add(part *consumerPause, agent string) {
	p.Resumed, p.Drained = max(p.Resumed, part.Resumed), max(p.Drained, part.Drained)
	p.Late += part.Late
	p.Queued += part.Queued
	f, sum := part.Fault, &p.Fault
	if f.Error != "" {
		if sum.Error != "" {
			sum.Error += "; "
		}
		sum.Error += "agent " + agent + ": " + f.Error
	}
	if !f.Done() {
		return
	}
	if !sum.Done() || f.BeganNS < sum.BeganNS {
		sum.BeganNS, sum.BrokenNS = f.BeganNS, f.BrokenNS
	}
	if f.HealedNS != nil && (sum.HealedNS == nil || *f.HealedNS > *sum.HealedNS) {
		sum.HealedNS = f.HealedNS
	}
}
