package results

import (
	"math"
	"slices"

	"github.com/brokerbench/brokerbench/internal/numbers"
	"github.com/brokerbench/brokerbench/internal/student"
	"github.com/brokerbench/brokerbench/plan"
)

// A FaultSummary sums up one fault over the repeats of a cell.
type FaultSummary struct {
	Plan plan.Fault `json:"plan"`
	Name string     `json:"name"` // as in the first repeat in which it was made
	Made int        `json:"made"` // in how many repeats it was
	Of   int        `json:"of"`

	// How long things took, from the fault on; an outage from its own beginning. Nil: not known of
	// any repeat.
	Acks       *Spell `json:"acks,omitempty"`
	Deliveries *Spell `json:"deliveries,omitempty"`
	Recovery   *Spell `json:"recovery,omitempty"`  // until p99 was back
	Healed     *Spell `json:"healed,omitempty"`    // until it was mended
	Leader     *Spell `json:"leader,omitempty"`    // until another led
	Redundant  *Spell `json:"redundant,omitempty"` // until all copies were in step
	Worst      *Spell `json:"worst,omitempty"`     // the longest response; absent if none was done

	// The sums of what became of the messages.
	Outage     int64  `json:"outage"` // due in the longer of the outages
	Due        int64  `json:"due"`
	Done       int64  `json:"done"`
	Failed     int64  `json:"failed"`
	Lost       int64  `json:"lost"`
	Acked      int64  `json:"acked"`
	AckedLost  *int64 `json:"acked_lost,omitempty"` // absent: not known of any repeat
	Duplicates int64  `json:"duplicates"`
	OutOfOrder int64  `json:"out_of_order"`
}

// A Spell is how long something took in several repeats.
type Spell struct {
	Repeats int `json:"repeats"` // in which it is known
	Open    int `json:"open"`    // of these, how many did not see its end: it was longer than MaxNS in them
	None    int `json:"none"`    // of these, how many show none: it is no longer than what they have

	// The geometric mean and its 95 % interval, as in a [Spread]; null with an end that is
	// not known, a value of 0, or fewer than two repeats.
	GeoMeanNS *int64 `json:"geomean_ns"`
	LowNS     *int64 `json:"low_ns"`
	HighNS    *int64 `json:"high_ns"`
	MinNS     int64  `json:"min_ns"` // of all repeats, by what they have
	MaxNS     int64  `json:"max_ns"`
}

// FaultsOf sums up the faults of cells that are repeats of each other, in the order of the
// plan.
func FaultsOf(cells []*Cell) (list []FaultSummary) {
	for i := range faultsIn(cells) {
		list = append(list, faultOf(cells, i))
	}
	return list
}

func faultsIn(cells []*Cell) (n int) {
	for _, c := range cells {
		n = max(n, len(c.Faults))
	}
	return n
}

// faultOf sums up one fault.
func faultOf(cells []*Cell, i int) FaultSummary {
	var s FaultSummary
	var w lengths
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
		s.Add(f.Harm)
		w.add(f)
	}
	s.Acks, s.Deliveries, s.Recovery, s.Worst = w.acks.sum(), w.deliveries.sum(), w.recovery.sum(), w.worst.sum()
	s.Healed, s.Leader, s.Redundant = w.healed.sum(), w.leader.sum(), w.redundant.sum()
	return s
}

// Add adds the messages of one more; h may be nil.
func (s *FaultSummary) Add(h *Harm) {
	if h == nil {
		return
	}
	if o := h.Outage(); o != nil && o.Shown {
		s.Outage += o.Due
	}
	s.Due, s.Done, s.Failed, s.Lost, s.Acked = s.Due+h.Due, s.Done+h.Done, s.Failed+h.Failed, s.Lost+h.Lost, s.Acked+h.Acked
	s.Duplicates, s.OutOfOrder = s.Duplicates+h.Duplicates, s.OutOfOrder+h.OutOfOrder
	if h.AckedLost != nil {
		if s.AckedLost == nil {
			s.AckedLost = new(int64)
		}
		*s.AckedLost += *h.AckedLost
	}
}

// lengths are how long things took after one fault in several repeats.
type lengths struct{ acks, deliveries, recovery, healed, leader, redundant, worst length }

func (w *lengths) add(f Fault) {
	began := f.BeganNS
	for _, one := range []struct {
		to *length
		at *int64
	}{{&w.healed, f.HealedNS}, {&w.leader, f.LeaderNS}, {&w.redundant, f.RedundantNS}} {
		if one.at != nil {
			one.to.values = append(one.to.values, max(*one.at-began, 0))
		}
	}
	h := f.Harm
	if h == nil {
		return
	}
	w.acks.outage(h.Acks)
	w.deliveries.outage(h.Deliveries)
	if h.Done > 0 {
		w.worst.values = append(w.worst.values, h.WorstNS)
	}
	if h.RecoveredNS != nil {
		w.recovery.values = append(w.recovery.values, *h.RecoveredNS)
	} else if h.BaseP99NS != nil {
		w.recovery.values, w.recovery.open = append(w.recovery.values, max(h.ToNS-began, 0)), w.recovery.open+1
	}
}

// A length collects one of them.
type length struct {
	values     []int64
	open, none int
}

func (w *length) outage(o *Outage) {
	if o == nil {
		return
	}
	w.values = append(w.values, o.ForNS)
	switch {
	case !o.Shown:
		w.none++
	case !o.Over():
		w.open++
	}
}

// sum sums up; nil if there is nothing.
func (w *length) sum() *Spell {
	if len(w.values) == 0 {
		return nil
	}
	s := &Spell{Repeats: len(w.values), Open: w.open, None: w.none, MinNS: slices.Min(w.values), MaxNS: slices.Max(w.values)}
	if s.MinNS > 0 && w.open == 0 && len(w.values) > 1 {
		s.GeoMeanNS, s.LowNS, s.HighNS = geometric(w.values)
	}
	return s
}

// geometric returns the geometric mean of values above 0 and its 95 % interval, which is nil
// of a single one.
func geometric(values []int64) (mean, low, high *int64) {
	logs := make([]float64, len(values))
	for i, v := range values {
		logs[i] = math.Log(float64(v))
	}
	m, variance := numbers.Moments(logs)
	n := float64(len(values))
	if n < 2 {
		return exponential(m), nil, nil
	}
	half := student.Quantile(0.95, n-1) * math.Sqrt(variance/n)
	return exponential(m), exponential(m - half), exponential(m + half)
}
