package impact

import (
	"bytes"
	"encoding/gob"
	"fmt"

	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/results"
)

// A snapshot is what faults did to the messages of an agent's part, as the agent sends it.
// Its size is bounded as that of a recorder is.
type snapshot struct {
	WorstWarmup      int64
	WorstBefore      int64
	Deliveries, Acks gapsSnapshot
	Slots            []slotSnapshot // that have any message
	Done             record.BitmapSnapshot
	Failed           record.BitmapSnapshot
	Acked            record.BitmapSnapshot
	Audited          bool // the audit read the store to its end
	Lost             record.BitmapSnapshot
	Pauses           []pauseSnapshot
}

// A slotSnapshot is a slot.
type slotSnapshot struct {
	At                     int
	Worst                  int64
	Duplicates, Disordered uint32
	Steps                  []uint8 // those of its responses
	Counts                 []uint32
}

// A pauseSnapshot is a pause of an agent's consumers.
type pauseSnapshot struct {
	Fault                          results.Fault
	Resumed, Late, Queued, Drained int64
}

// snapshot returns what was recorded. Lost are the acknowledged messages that the audit did not
// find; nil if that is unknown.
func (r *recorder) snapshot(lost *record.Bitmap) snapshot {
	s := snapshot{
		WorstWarmup: r.worstWarmup.Load(), WorstBefore: r.worstBefore.Load(), Deliveries: r.deliveries.snapshot(), Acks: r.acks.snapshot(), Slots: r.slots.snapshot(),
		Done: r.done.Snapshot(), Failed: r.failed.Snapshot(), Acked: r.acked.Snapshot(), Audited: lost != nil,
	}
	if lost != nil {
		s.Lost = lost.Snapshot()
	}
	for _, p := range r.pauses {
		s.Pauses = append(s.Pauses, pauseSnapshot{p.fault, p.resumed.Load(), p.late.Load(), p.queued.Load(), p.drained.Load()})
	}
	return s
}

// pack encodes a snapshot; unpack decodes it.
func (s snapshot) pack() ([]byte, error) {
	var packed bytes.Buffer
	if err := gob.NewEncoder(&packed).Encode(s); err != nil {
		return nil, fmt.Errorf("encoding the impact of faults: %w", err)
	}
	return packed.Bytes(), nil
}

func unpack(packed []byte) (s snapshot, err error) {
	if err := gob.NewDecoder(bytes.NewReader(packed)).Decode(&s); err != nil {
		return s, fmt.Errorf("decoding the impact of faults: %w", err)
	}
	return s, nil
}

// add adds the snapshot of part i of so many.
func (r *recorder) add(s snapshot, part, of int) error {
	raise(&r.worstWarmup, s.WorstWarmup)
	raise(&r.worstBefore, s.WorstBefore)
	for _, one := range []struct {
		to   *record.Bitmap
		from record.BitmapSnapshot
	}{{r.done, s.Done}, {r.failed, s.Failed}, {r.acked, s.Acked}} {
		if err := one.to.Merge(one.from, part, of); err != nil {
			return err
		}
	}
	r.deliveries.add(s.Deliveries, part, of)
	r.acks.add(s.Acks, part, of)
	return r.slots.add(s.Slots)
}

func (s *slots) snapshot() (list []slotSnapshot) {
	for i := range s.list {
		one, from := slotSnapshot{At: i}, &s.list[i]
		one.Worst, one.Duplicates, one.Disordered = from.worst.Load(), from.duplicates.Load(), from.disordered.Load()
		for step := range from.responses {
			if n := from.responses[step].Load(); n > 0 {
				one.Steps, one.Counts = append(one.Steps, uint8(step)), append(one.Counts, n) // slotSteps of them
			}
		}
		if one.Steps != nil || one.Duplicates > 0 || one.Disordered > 0 {
			list = append(list, one)
		}
	}
	return list
}

// add adds the slots of a part.
func (s *slots) add(list []slotSnapshot) error {
	for _, one := range list {
		if one.At < 0 || one.At >= len(s.list) || len(one.Steps) != len(one.Counts) {
			return fmt.Errorf("slot %d of %d does not exist", one.At, len(s.list))
		}
		to := &s.list[one.At]
		raise(&to.worst, one.Worst)
		to.duplicates.Add(one.Duplicates)
		to.disordered.Add(one.Disordered)
		for i, step := range one.Steps {
			to.responses[step].Add(one.Counts[i])
		}
	}
	return nil
}

// add adds the pause of an agent's consumers. The sum lasts from the first that stopped until the
// last that went on.
func (p *consumerPause) add(s pauseSnapshot, agent string) {
	raise(&p.resumed, s.Resumed)
	raise(&p.drained, s.Drained)
	p.late.Add(s.Late)
	p.queued.Add(s.Queued)
	f, sum := s.Fault, &p.fault
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
