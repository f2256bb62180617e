package compare

import (
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// Schema is that of a Comparison in JSON.
const Schema = "brokerbench/compare/2"

// Confidence is how likely a comparison of a thing with itself says "no difference
// shown" of every percentile; and again of all pauses, and of all gates.
const Confidence = 0.95

// Options say how to compare. Their zero value is the default.
type Options struct {
	By     By          // what cells are paired by; "" is ByTarget
	Force  bool        // compare even what differs in shape or durability
	FailOn []Condition // what counts as a regression; their percentiles are shown too
}

// A Comparison is what became faster or slower between two result sets.
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

// An Origin says which result set it was.
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
	// Faults are what broke, in which respects each, in the order of the plan; absent of cells
	// without faults.
	Faults []FaultRow `json:"faults,omitempty"`
	Lost   *Lost      `json:"lost,omitempty"` // what was acknowledged and is lost; absent if nothing is, or nobody knows
}

// Cells are the repeats of one target × shape on one side.
type Cells struct {
	ID      string          `json:"id"` // without the number of a repeat
	Target  string          `json:"target"`
	Shape   plan.Shape      `json:"shape"`
	IDs     []string        `json:"ids"`
	Verdict results.Verdict `json:"verdict"` // the worst of theirs
	Ledger  results.Ledger  `json:"ledger"`  // the sum of theirs
	// MaxNS is the longest response of all: messages that never came back rank above it.
	MaxNS int64 `json:"max_ns"`
}

// A Method is where an interval comes from. See the package comment.
type Method string

// The methods.
const (
	Pairs      Method = "pairs"                   // how the ratio differs between runs that were measured by turns
	Repeats    Method = "repeats"                 // how repeats differ, on both sides
	OneAgainst Method = "one run against repeats" // how the repeats of one side differ
	OneASide   Method = "one run a side"          // how a run varies within itself: how runs differ is unknown
)

// An Unpaired cell has no counterpart on the other side.
type Unpaired struct {
	Side string `json:"side"` // BASE or NEW
	ID   string `json:"id"`   // without the number of its repeat
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
		Unequal:     unequal(paired.considered()),
		Differences: slices.Concat(base.within("BASE"), next.within("NEW"), differences(base, next, paired.considered())),
	}
	if len(c.Unequal) > 0 && !o.Force {
		return nil, &RefusedError{Unequal: c.Unequal, Differences: c.Differences}
	}
	for i, couple := range paired.exact {
		paired.exact[i] = couple.inOrder(base.turns && next.turns)
	}
	c.judge(paired.exact, percentiles(o.FailOn))
	c.judgePauses(paired.exact)
	c.judgeFaults(paired.exact)
	c.judgeGates(paired.exact, o.FailOn)
	return c, nil
}

func origin(s *Set) Origin { return Origin{Dir: s.Dir, Name: s.Run.Name, Started: s.Run.Started} }

// percentiles returns those to judge, in ascending order, and the maximum, which
// is only shown.
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
