package results

import (
	"cmp"
	"slices"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results/internal/spell"
)

// A FaultSummary sums up one fault over the repeats of a cell.
type FaultSummary struct {
	Plan plan.Fault `json:"plan"`
	Name string     `json:"name"` // as in the first repeat in which it was made
	Made int        `json:"made"` // in how many repeats it was
	Of   int        `json:"of"`

	// How long things took, counted from the fault; an outage from its beginning. Nil: unknown
	// in every repeat.
	Acks       *Spell `json:"acks,omitempty"`
	Deliveries *Spell `json:"deliveries,omitempty"`
	Recovery   *Spell `json:"recovery,omitempty"`  // until p99 was back
	Healed     *Spell `json:"healed,omitempty"`    // until it was healed
	Leader     *Spell `json:"leader,omitempty"`    // until another node led
	Redundant  *Spell `json:"redundant,omitempty"` // until all copies were in step
	Worst      *Spell `json:"worst,omitempty"`     // the longest response; absent if none was done

	// The sums over all repeats.
	Outage     int64  `json:"outage"` // due in the outage of acknowledgements or of deliveries, whichever are more
	Due        int64  `json:"due"`
	Done       int64  `json:"done"`
	Failed     int64  `json:"failed"`
	Lost       int64  `json:"lost"`
	Acked      int64  `json:"acked"`
	AckedLost  *int64 `json:"acked_lost,omitempty"`        // absent: unknown in every repeat
	OneOf      int64  `json:"acked_lost_one_of,omitempty"` // of these, those that another fault may have lost as well
	Duplicates int64  `json:"duplicates"`
	OutOfOrder int64  `json:"out_of_order"`
}

// A Spell is how long something took in several repeats.
type Spell = spell.Spell

// FaultsOf sums up the faults of cells that are repeats of each other, in the order of the
// plan.
func FaultsOf(cells []*Cell) (list []FaultSummary) {
	n := 0
	for _, c := range cells {
		n = max(n, len(c.Faults))
	}
	for i := range n {
		list = append(list, faultOf(cells, i))
	}
	return list
}

func faultOf(cells []*Cell, i int) FaultSummary {
	var s FaultSummary
	for _, c := range cells {
		if i >= len(c.Faults) {
			continue
		}
		f := c.Faults[i]
		if s.Of++; s.Made == 0 {
			s.Plan, s.Name = f.Plan, f.Name()
		}
		if !f.Done() {
			continue
		}
		s.Made++
		s.Add(f.Impact)
		s.addTimes(f)
	}
	for _, one := range []*Spell{s.Acks, s.Deliveries, s.Recovery, s.Worst, s.Healed, s.Leader, s.Redundant} {
		one.Sum()
	}
	return s
}

// Add adds the messages of one more; h may be nil.
func (s *FaultSummary) Add(h *Impact) {
	if h == nil {
		return
	}
	s.Outage += h.DueInOutage()
	s.Due, s.Done, s.Failed, s.Lost, s.Acked = s.Due+h.Due, s.Done+h.Done, s.Failed+h.Failed, s.Lost+h.Lost, s.Acked+h.Acked
	s.Duplicates, s.OutOfOrder = s.Duplicates+h.Duplicates, s.OutOfOrder+h.OutOfOrder
	if h.AckedLost != nil {
		if s.AckedLost == nil {
			s.AckedLost = new(int64)
		}
		*s.AckedLost += *h.AckedLost
		s.OneOf += h.AckedLostOneOf
	}
}

func (s *FaultSummary) addTimes(f Fault) {
	for _, one := range []struct {
		to **Spell
		at *int64
	}{{&s.Healed, f.HealedNS}, {&s.Leader, f.LeaderNS}, {&s.Redundant, f.RedundantNS}} {
		if one.at != nil {
			spell.Extend(one.to, max(*one.at-f.BeganNS, 0))
		}
	}
	h := f.Impact
	if h == nil {
		return
	}
	extendOutage(&s.Acks, h.Acks)
	extendOutage(&s.Deliveries, h.Deliveries)
	if h.Done > 0 {
		spell.Extend(&s.Worst, h.WorstNS)
	}
	if h.RecoveredNS != nil {
		spell.Extend(&s.Recovery, *h.RecoveredNS)
	} else if h.BaseP99NS != nil {
		spell.Extend(&s.Recovery, max(h.ToNS-f.BeganNS, 0)).Open++
	}
}

func extendOutage(to **Spell, o *Outage) {
	if o == nil || o.Unknown {
		return
	}
	switch s := spell.Extend(to, o.ForNS); {
	case !o.Shown:
		s.None++
	case !o.Over():
		s.Open++
	}
}

// FaultEvents returns the beginnings of the cell's faults and the recoveries from them, in the
// order of time.
func (c *Cell) FaultEvents() (list []Event) {
	for _, f := range c.Faults {
		if !f.Done() {
			continue
		}
		name := f.Name()
		list = append(list, Event{f.BeganNS, name})
		back := (*int64)(nil)
		if f.Impact != nil && f.Impact.RecoveredNS != nil && *f.Impact.RecoveredNS > 0 {
			back = new(f.BeganNS + *f.Impact.RecoveredNS)
		}
		for _, e := range []struct {
			at   *int64
			what string
		}{
			{f.LeaderNS, cmp.Or(f.LeaderAfter, "another") + " leads"},
			{f.HealedNS, "healed"},
			{f.RedundantNS, "all copies in step"},
			{back, "p99 is back"},
		} {
			if e.at != nil {
				list = append(list, Event{*e.at, name + ": " + e.what})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Event) int { return cmp.Compare(a.AtNS, b.AtNS) })
	return list
}
