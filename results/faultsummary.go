package results

import (
	"cmp"
	"math"
	"slices"

	"github.com/brokerbench/brokerbench/internal/stats"
	"github.com/brokerbench/brokerbench/plan"
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
type Spell struct {
	Repeats int `json:"repeats"` // in which it is known
	Open    int `json:"open"`    // of these, in how many it did not end: it took longer than MaxNS
	None    int `json:"none"`    // of these, how many show no outage: it was at most this long

	// The geometric mean and its 95 % interval, as in a [Spread]; null if an end is unknown,
	// a value is 0, or there are fewer than two repeats.
	GeoMeanNS *int64 `json:"geomean_ns"`
	LowNS     *int64 `json:"low_ns"`
	HighNS    *int64 `json:"high_ns"`
	MinNS     int64  `json:"min_ns"` // of all repeats
	MaxNS     int64  `json:"max_ns"`

	values []*int64
}

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
	for _, spell := range []*Spell{s.Acks, s.Deliveries, s.Recovery, s.Worst, s.Healed, s.Leader, s.Redundant} {
		spell.sum()
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
			extend(one.to, max(*one.at-f.BeganNS, 0))
		}
	}
	h := f.Impact
	if h == nil {
		return
	}
	extendOutage(&s.Acks, h.Acks)
	extendOutage(&s.Deliveries, h.Deliveries)
	if h.Done > 0 {
		extend(&s.Worst, h.WorstNS)
	}
	if h.RecoveredNS != nil {
		extend(&s.Recovery, *h.RecoveredNS)
	} else if h.BaseP99NS != nil {
		extend(&s.Recovery, max(h.ToNS-f.BeganNS, 0)).Open++
	}
}

// extend adds the time of one more repeat, and creates the spell if there is none.
func extend(to **Spell, ns int64) *Spell {
	if *to == nil {
		*to = &Spell{MinNS: ns}
	}
	s := *to
	s.Repeats, s.MinNS, s.MaxNS, s.values = s.Repeats+1, min(s.MinNS, ns), max(s.MaxNS, ns), append(s.values, &ns)
	return s
}

func extendOutage(to **Spell, o *Outage) {
	if o == nil || o.Unknown {
		return
	}
	switch s := extend(to, o.ForNS); {
	case !o.Shown:
		s.None++
	case !o.Over():
		s.Open++
	}
}

// sum sets the geometric mean and its interval, if all values are known and above 0.
func (s *Spell) sum() {
	if s != nil && s.MinNS > 0 && s.Open == 0 && s.Repeats > 1 {
		s.GeoMeanNS, s.LowNS, s.HighNS = geometric(s.values)
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

// geometric returns the geometric mean of values above 0 and its 95 % interval, which is nil
// for a single value.
func geometric(values []*int64) (mean, low, high *int64) {
	logs := make([]float64, len(values))
	for i, v := range values {
		logs[i] = math.Log(float64(*v))
	}
	m, variance := stats.Moments(logs)
	n := float64(len(values))
	if n < 2 {
		return exponential(m), nil, nil
	}
	half := stats.StudentQuantile(0.95, n-1) * math.Sqrt(variance/n)
	return exponential(m), exponential(m - half), exponential(m + half)
}

// exponential returns exp(v), at most 1<<62.
func exponential(v float64) *int64 {
	return new(int64(math.Round(min(math.Exp(v), 1<<62))))
}
