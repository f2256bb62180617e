// Package compare decides which percentiles became faster or slower from one result set
// to another.
//
//	base, err := compare.Open("brokerbench-results/20261101-before")
//	next, err := compare.Open("brokerbench-results/20261102-after")
//	c, err := compare.Compare(base, next, compare.Options{})
//
// docs/methodology.md (Before and after) explains the method to users, and its limits;
// docs/simulations/compare.md lists false alarms and power. For each percentile of a pair of
// cells, compare shows the value of all runs of a side together, and the ratio NEW/BASE. Its interval
// is by how the logarithms of runs differ, since noise multiplies, by one [Method]. The answer is
// "slower" or "faster" if the interval of the ratio excludes 1, after widening by the width of a
// histogram's bucket: no measurement resolves a smaller difference.
//
// All percentiles of a comparison are one family, which [stats.Holm] judges; pauses, times of
// faults and gates are three more, so that rows outside of a gate do not make it less sensitive.
// With several NEW, each comparison is judged separately. A percentile is not comparable if it
// is unknown in any run, or part of an INVALID cell: leaving out the bad repeats would favour the
// side that has them.
package compare

import (
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// Schema is that of a Comparison in JSON.
const Schema = "brokerbench/compare/3"

// Confidence is the probability that a comparison of a system with itself shows no
// difference in any percentile, and likewise in any pauses and in any gate.
const Confidence = 0.95

// Options select how to compare. Their zero value is the default.
type Options struct {
	By     By          // how cells are paired; "" is ByTarget
	Force  bool        // compare sides that differ in shape or durability, too
	FailOn []Condition // the gates; their percentiles are shown too

	Decisive []Decisive // the options of targets that have to be equal on both sides
}

// A Comparison lists the differences between two result sets.
type Comparison struct {
	Schema       string       `json:"schema"` // Schema
	Base         Origin       `json:"base"`
	New          Origin       `json:"new"`
	Confidence   float64      `json:"confidence"`              // that no row says "faster" or "slower" if nothing changed
	Judged       int          `json:"judged"`                  // how many percentiles were judged together
	JudgedPauses int          `json:"judged_pauses"`           // of how many pairs pauses were judged together
	JudgedGates  int          `json:"judged_gates"`            // how many conditions × pairs were judged together
	JudgedFaults int          `json:"judged_faults,omitempty"` // how many times of faults were judged together
	Pairs        []Pair       `json:"pairs"`
	Unpaired     []Unpaired   `json:"unpaired,omitempty"`
	Unequal      []Difference `json:"unequal,omitempty"`     // compared only because of Force
	Differences  []Difference `json:"differences,omitempty"` // of settings and environment, also within a side
	FailOn       []Outcome    `json:"fail_on,omitempty"`
}

// An Origin identifies a result set.
type Origin struct {
	Dir     string    `json:"dir"`
	Name    string    `json:"name"`
	Started time.Time `json:"started"`
}

// A Pair is two cells that measured the same, each with its repeats.
type Pair struct {
	Base   Cells  `json:"base"`
	New    Cells  `json:"new"`
	Method Method `json:"method"`
	Order  Order  `json:"order,omitempty"` // absent: not known, or one run a side
	Rows   []Row  `json:"rows"`
	Pauses Stalls `json:"pauses"`
	// Faults has several rows for each fault, in the order of the plan; absent for cells
	// without faults.
	Faults []FaultRow `json:"faults,omitempty"`
	Lost   *Lost      `json:"lost,omitempty"` // acknowledged messages that are lost; absent if none are, or if it is unknown
}

// Cells are the repeats of one target × shape on one side.
type Cells struct {
	ID      string          `json:"id"` // without the number of a repeat
	Target  string          `json:"target"`
	Shape   plan.Shape      `json:"shape"`
	IDs     []string        `json:"ids"`
	Verdict results.Verdict `json:"verdict"` // the worst of theirs
	Ledger  results.Ledger  `json:"ledger"`  // the sum of theirs
	// MaxNS is the longest response of all. Messages that never came back rank above it.
	MaxNS int64 `json:"max_ns"`
}

// Title names the target and the shape for people.
func (c Cells) Title() string {
	return plan.Cell{Target: plan.Target{Name: c.Target}, Shape: c.Shape}.Title()
}

// A Method is the source of an interval.
type Method string

// The methods.
const (
	Pairs      Method = "pairs"                   // the variation of the ratio between runs measured by turns
	Repeats    Method = "repeats"                 // the variation between the repeats of both sides
	OneAgainst Method = "one run against repeats" // the variation between the repeats of one side
	OneASide   Method = "one run a side"          // the variation within each run; that between runs is unknown
)

// An Unpaired cell has no counterpart on the other side.
type Unpaired struct {
	Side string `json:"side"` // BASE or NEW
	ID   string `json:"id"`   // without the number of its repeat

	Title string `json:"title"` // the target and the shape, for people
}

// Compare compares a result set with its base. The error is a [*RefusedError] if
// they differ in shape or durability.
func Compare(base, next *Set, o Options) (*Comparison, error) {
	paired, err := match(base, next, o)
	if err != nil {
		return nil, err
	}
	c := &Comparison{
		Schema: Schema, Base: origin(base), New: origin(next), Confidence: Confidence, Unpaired: paired.unpaired(),
		Unequal:     unequal(paired.considered(), o.Decisive),
		Differences: slices.Concat(base.within("BASE", o.Decisive), next.within("NEW", o.Decisive), differences(base, next, paired.considered(), o.Decisive)),
	}
	if len(c.Unequal) > 0 && !o.Force {
		return nil, &RefusedError{Unequal: c.Unequal, Differences: c.Differences}
	}
	for i, couple := range paired.exact {
		couple.base, couple.next = couple.base.pooled(), couple.next.pooled()
		paired.exact[i] = couple.inOrder()
	}
	c.judge(paired.exact, percentiles(o.FailOn))
	c.judgePauses(paired.exact)
	c.judgeFaults(paired.exact)
	c.judgeGates(paired.exact, o.FailOn)
	return c, nil
}

func origin(s *Set) Origin { return Origin{Dir: s.Dir, Name: s.Run.Name, Started: s.Run.Started} }

// percentiles returns the percentiles to judge, in ascending order, and the maximum,
// which is only shown.
func percentiles(conditions []Condition) []float64 {
	list := []float64{50, 99, 99.9, 100}
	for _, c := range conditions {
		if c.Metric == OfPercentile {
			list = append(list, c.Percentile)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
