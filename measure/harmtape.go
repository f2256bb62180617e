package measure

import (
	"bytes"
	"encoding/gob"
	"fmt"

	"github.com/brokerbench/brokerbench/results"
)

// A harmTape is what faults did to the messages of an agent's part, as it travels to who adds
// up the parts: what a harm knows, and what an audit missed. It is bounded as a harm is.
type harmTape struct {
	WorstWarmup      int64
	WorstBefore      int64
	Deliveries, Acks silencesTape
	Slots            []slotTape // without those in which nothing was
	Done             marksTape
	Failed           marksTape
	Acked            marksTape
	Looked           bool      // somebody looked for what was acknowledged, to the end of the store
	Lost             marksTape // what was not there
	Falls            []fallTape
}

// A slotTape is a slot.
type slotTape struct {
	At                     int
	Worst                  int64
	Duplicates, Disordered uint32
	Steps                  []uint8 // those of its responses
	Counts                 []uint32
}

// A marksTape is the marks of a promised, by connection and page; a page without marks is
// empty.
type marksTape [][][]uint64

// A fallTape is a fault that kept an agent's consumers from reading.
type fallTape struct {
	Fault                          results.Fault
	Resumed, Late, Queued, Drained int64
}

// tape returns what there is of a part to be added to the others.
func (h *harm) tape(f *faults, lost *promised) harmTape {
	t := harmTape{
		WorstWarmup: h.worstWarmup.Load(), WorstBefore: h.worstBefore.Load(), Deliveries: h.deliveries.tape(), Acks: h.acks.tape(), Slots: h.slots.tape(),
		Done: h.done.tape(), Failed: h.failed.tape(), Acked: h.acked.tape(), Looked: lost != nil,
	}
	if lost != nil {
		t.Lost = lost.tape()
	}
	for i, by := range h.falls {
		t.Falls = append(t.Falls, fallTape{*f.falls.list[i], by.resumed.Load(), by.late.Load(), by.queued.Load(), by.drained.Load()})
	}
	return t
}

// pack writes the tape as bytes; unpackHarm reads them.
func (t harmTape) pack() ([]byte, error) {
	var packed bytes.Buffer
	if err := gob.NewEncoder(&packed).Encode(t); err != nil {
		return nil, fmt.Errorf("writing what the faults did: %w", err)
	}
	return packed.Bytes(), nil
}

func unpackHarm(packed []byte) (t harmTape, err error) {
	if err := gob.NewDecoder(bytes.NewReader(packed)).Decode(&t); err != nil {
		return t, fmt.Errorf("reading what the faults did: %w", err)
	}
	return t, nil
}

func (s *slots) tape() (list []slotTape) {
	for i := range s.list {
		one, from := slotTape{At: i}, &s.list[i]
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
func (s *slots) add(list []slotTape) error {
	for _, one := range list {
		if one.At < 0 || one.At >= len(s.list) || len(one.Steps) != len(one.Counts) {
			return fmt.Errorf("there is no slot %d of %d", one.At, len(s.list))
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

func (p *promised) tape() marksTape {
	t := make(marksTape, len(p.conns))
	for conn := range p.conns {
		for _, page := range p.conns[conn].list() {
			var words []uint64
			for w := range page { // none of a page that is not there
				if page != nil {
					words = append(words, page[w].Load())
				}
			}
			t[conn] = append(t[conn], words)
		}
	}
	return t
}

// add adds the marks of part i of so many, which counts its own connections from 0.
func (p *promised) add(t marksTape, part, of int) error {
	for conn, pages := range t {
		whole := part + conn*of
		if whole >= len(p.conns) {
			return fmt.Errorf("there is no connection %d of %d", whole, len(p.conns))
		}
		for i, words := range pages {
			if len(words) == 0 {
				continue
			}
			if len(words) != pageSize/64 {
				return fmt.Errorf("a page of marks has %d words", len(words))
			}
			page := p.conns[whole].at(uint64(i))
			for w, word := range words {
				page[w].Or(word)
			}
		}
	}
	return nil
}

// add adds what a part knows.
func (h *harm) add(t harmTape, part, of int) error {
	raise(&h.worstWarmup, t.WorstWarmup)
	raise(&h.worstBefore, t.WorstBefore)
	for _, one := range []struct {
		to   *promised
		from marksTape
	}{{h.done, t.Done}, {h.failed, t.Failed}, {h.acked, t.Acked}} {
		if err := one.to.add(one.from, part, of); err != nil {
			return err
		}
	}
	for i, f := range t.Falls {
		if i < len(h.falls) {
			h.falls[i].add(f)
		}
	}
	h.deliveries.add(t.Deliveries, part, of)
	h.acks.add(t.Acks, part, of)
	return h.slots.add(t.Slots)
}

// add adds how the consumers of a part caught up.
func (f *fallen) add(t fallTape) {
	raise(&f.resumed, t.Resumed)
	raise(&f.drained, t.Drained)
	f.late.Add(t.Late)
	f.queued.Add(t.Queued)
}

// allOf makes one fault of those that kept the consumers of all parts from reading: from
// the first that stopped until the last that went on.
func allOf(fault results.Fault, parts []fallTape, names []string) *results.Fault {
	sum := results.Fault{Plan: fault.Plan}
	for i, p := range parts {
		f := p.Fault
		if f.Error != "" {
			sum.Error = joined(sum.Error, "agent "+names[i]+": "+f.Error)
		}
		if !f.Done() {
			continue
		}
		if !sum.Done() || f.BeganNS < sum.BeganNS {
			sum.BeganNS, sum.BrokenNS = f.BeganNS, f.BrokenNS
		}
		if f.HealedNS != nil && (sum.HealedNS == nil || *f.HealedNS > *sum.HealedNS) {
			sum.HealedNS = f.HealedNS
		}
	}
	return &sum
}
