package compare

import (
	"math"
	"slices"

	grouping "github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/stats"
	"github.com/brokerbench/brokerbench/results"
)

// A Row is one percentile of a pair.
type Row struct {
	Percentile float64 `json:"percentile"` // 100 is the maximum
	// The percentiles of all runs of a side together; of a time after a fault, the geometric
	// mean of its runs. Null: unknown, which missing messages make it.
	BaseNS *int64   `json:"base_ns"`
	NewNS  *int64   `json:"new_ns"`
	Ratio  *float64 `json:"ratio"` // NewNS/BaseNS; null: not judged
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
	// LeftOut names the runs, or the turn, that are not in the interval, because they are far
	// from five or more others. The values and their ratio are those of all runs.
	LeftOut []string `json:"left_out,omitempty"`
	// LimitedBy has the problems that limit the percentile of either side.
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

func (r *Row) answer(e estimate, m Method) {
	r.Ratio, r.Low, r.High, r.Level = rounded(e.value), rounded(e.low), rounded(e.high), e.level
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

// A question is a row that can be judged, of a couple.
type question struct {
	*Row
	of     couple
	sample sample
}

// judge makes a pair of each couple, and judges all percentiles together: see the package
// comment.
func (c *Comparison) judge(couples []couple, percentiles []float64) {
	var open []question
	for _, couple := range couples {
		p := Pair{Base: couple.base.cells(), New: couple.next.cells(), Method: couple.method(), Order: couple.order}
		for _, percentile := range percentiles {
			p.Rows = append(p.Rows, couple.row(percentile))
		}
		for i := range p.Rows {
			if r := &p.Rows[i]; r.Answer == "" {
				s := couple.sample(r.Percentile)
				r.LeftOut = s.out
				open = append(open, question{r, couple, s})
			}
		}
		c.Pairs = append(c.Pairs, p)
	}
	c.Judged = len(open)
	answerAll(open)
}

func answerAll(open []question) {
	estimates := make(map[*Row]estimate)
	stats.Holm(open, Confidence, func(q question, level float64) bool {
		e := q.of.estimate(q.sample, level, q.Percentile)
		estimates[q.Row] = e
		q.answer(e, q.of.method())
		return q.Answer != NoDifference
	})
	for row, e := range estimates {
		row.Shows, row.RepeatsFor10 = e.shows(), e.repeatsFor(tenPercent)
	}
}

// row returns the row of a percentile. One that can be judged has no answer yet.
func (c couple) row(percentile float64) Row {
	base, next := c.base.at(percentile), c.next.at(percentile)
	r := Row{
		Percentile: percentile, BaseNS: base.ValueNS, NewNS: next.ValueNS,
		Reason: c.unjudged(percentile), LimitedBy: grouping.Unique(slices.Concat(base.LimitedBy, next.LimitedBy)),
	}
	switch {
	case r.Reason != "":
		r.Answer = NotComparable
	case percentile == 100:
		r.Answer = NotJudged
	}
	return r
}

// rounded returns the number that has this logarithm, rounded; nil if it is infinite.
func rounded(logarithm float64) *float64 {
	if math.IsInf(logarithm, 0) {
		return nil
	}
	return new(stats.Rounded(math.Exp(logarithm)))
}

func (c couple) method() Method {
	switch base, next := len(c.base.trials), len(c.next.trials); {
	case c.order == Alternating && base > 1:
		return Pairs
	case min(base, next) > 1:
		return Repeats
	case max(base, next) == 1:
		return OneASide
	}
	return OneAgainst
}

func (g group) cells() Cells {
	c := Cells{ID: g.id(), Target: g.target, Shape: g.shape, Verdict: results.Valid}
	for _, t := range g.trials {
		c.IDs = append(c.IDs, t.Cell.ID)
		if t.Cell.Verdict.Worse(c.Verdict) {
			c.Verdict = t.Cell.Verdict
		}
		c.Ledger.Add(t.Cell.Ledger)
		c.MaxNS = max(c.MaxNS, t.Cell.Response.MaxNS)
	}
	return c
}
