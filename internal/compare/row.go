package compare

import "github.com/brokerbench/brokerbench/results"

// A Row is one percentile of a pair.
type Row struct {
	Percentile float64 `json:"percentile"` // 100 is the maximum
	// The geometric means of the runs that were judged, whose ratio is Ratio; of the
	// maximum, the largest of all runs. Null: unknown, on that side in at least one
	// repeat.
	BaseNS *int64   `json:"base_ns"`
	NewNS  *int64   `json:"new_ns"`
	Ratio  *float64 `json:"ratio"` // NEW/BASE; null: not judged
	// The bounds of the ratio; null: unknown, or not judged.
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	Level float64  `json:"level"` // the confidence of that interval; 0 if there is none
	// Shows is the smallest ratio above 1 that such runs show in 80 of 100 comparisons;
	// null: unknown.
	Shows *float64 `json:"shows"`
	// RepeatsFor10 is how many runs a side show a difference of 10 % so often; null:
	// unknown, or more than 1,000.
	RepeatsFor10 *int   `json:"repeats_for_10"`
	Answer       Answer `json:"answer"`
	Reason       string `json:"reason,omitempty"` // why it is not comparable
	Odd          []Odd  `json:"odd,omitempty"`    // runs that are unlike the others of their side
	// LimitedBy has the problems that limit the percentile in any of the runs.
	LimitedBy []results.Code `json:"limited_by,omitempty"`
}

// An Answer is the answer of a row.
type Answer string

// The answers.
const (
	Faster        Answer = "faster"
	Slower        Answer = "slower"
	NoDifference  Answer = "no difference shown"           // which does not mean: the same
	RunsLower     Answer = "these runs differ: NEW lower"  // of one run a side: other runs may differ in another way
	RunsHigher    Answer = "these runs differ: NEW higher" // likewise
	MorePauses    Answer = "more pauses"
	FewerPauses   Answer = "fewer pauses"
	Shorter       Answer = "shorter" // of a time after a fault
	Longer        Answer = "longer"
	NotComparable Answer = "not comparable"
	NotJudged     Answer = "not judged" // the maximum, and pauses that were not counted
)

// answer fills the row from an estimate.
func (r *Row) answer(e estimate, m Method) {
	r.Ratio, r.Low, r.High, r.Level = rounded(e.mean), rounded(e.low), rounded(e.high), e.level
	lower, higher := Faster, Slower
	if m == OneASide {
		lower, higher = RunsLower, RunsHigher
	}
	switch {
	case e.low > 0:
		r.Answer = higher
	case e.high < 0:
		r.Answer = lower
	default:
		r.Answer = NoDifference
	}
}
