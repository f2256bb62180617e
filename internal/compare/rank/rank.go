// Package rank orders the targets of a run by speed, shape by shape, as far as they can be
// told apart.
//
//	set, err := compare.Open("brokerbench-results/20261101-four")
//	ranking, err := rank.Rank(set)
//
// # Method
//
// The targets of a shape are measured by turns within each repeat, so the values of two
// targets in the same repeat are a pair: see [stats.LogRatios]. Every two targets are
// compared, and all comparisons of all shapes and percentiles are one family: if nothing
// differs, a ranking shows a difference with a probability of 5 %. Three targets or more show
// together how much repeats vary: see [stats.Others]. The repeats are the sample, so that few events
// in each are no obstacle: intervals of all messages together separate half as often, and call
// equal targets different in up to half of the rankings (docs/decisions, 251). The
// values that are shown, and their order, are those of all repeats together; a difference that
// contradicts them is not shown. The method assumes that a target's repeats do not depend on each
// other: state that it keeps from one to the next, such as its placement on the machine, counts as
// the target.
//
// With one repeat the variation between repeats is unknown. Then targets are ordered by
// their values, those whose intervals do not overlap differ in this run, and there is no
// winner.
package rank

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/stats"
	"github.com/brokerbench/brokerbench/plan"
)

// Schema is that of a Ranking in JSON.
const Schema = "brokerbench/rank/1"

// A Ranking is the order of the targets of a run.
type Ranking struct {
	Schema     string    `json:"schema"` // Schema
	Dir        string    `json:"dir"`
	Name       string    `json:"name"`
	Started    time.Time `json:"started"`
	Confidence float64   `json:"confidence"`              // the probability that no two targets are shown to differ if none do
	Judged     int       `json:"judged"`                  // how many pairs of targets were judged together
	Least      int       `json:"least_repeats,omitempty"` // of a pair for an answer; absent: nothing was judged
	Shapes     []Shape   `json:"shapes"`                  // those that two targets or more were measured with
}

// A Shape is a load, with the order of the targets under it.
type Shape struct {
	Name    string     `json:"name"`
	Shape   plan.Shape `json:"shape"`
	Repeats int        `json:"repeats"` // the most that a target has
	Rows    []Row      `json:"rows"`
}

// A Row is the order at one percentile.
type Row struct {
	Percentile float64 `json:"percentile"`
	// Order names the targets, the fastest first, with signs between them: "<" if those
	// before it are shown to be faster than the one behind it, "≈" if the two beside it
	// cannot be told apart, "≤" if they differ in this run, which has one repeat, and "?" if
	// that repeat has no interval.
	Order string `json:"order"`
	// Except lists pairs of targets about which Order misleads, such as "nats < rabbitmq" if
	// Order is "nats ≈ redis ≈ rabbitmq".
	Except []string `json:"except,omitempty"`
	// Winner is the target that is shown to be faster than every other one, or "".
	Winner   string     `json:"winner"`
	Places   []Place    `json:"places"`
	Versus   []Versus   `json:"versus"` // every two of Places
	Unranked []Unranked `json:"unranked,omitempty"`
	// Decides is about how many repeats would show whether the first target is faster than every
	// other one, if they go on to differ and vary as before; 0: there is a winner, or that is unknown,
	// or more than 10,000.
	Decides int `json:"repeats_to_decide"`
}

// A Place is one target of an order.
type Place struct {
	Target  string `json:"target"`
	Repeats int    `json:"repeats"`
	NS      int64  `json:"ns"` // of all its repeats together
	// Limits names everything that limits the number, such as "this machine"; empty if it can be
	// used.
	Limits  []string `json:"limits,omitempty"`
	Suspect bool     `json:"suspect,omitempty"` // at least one repeat is
}

// A Versus compares two targets.
type Versus struct {
	First  string          `json:"first"` // the one with the smaller value
	Second string          `json:"second"`
	Ratio  stats.PairRatio `json:"ratio"` // second/first, of the repeats that both have
	Answer Answer          `json:"answer"`
}

// An Answer is the relation of two targets.
type Answer string

// The answers.
const (
	Faster     Answer = "faster"               // the first is shown to be faster
	NotApart   Answer = "cannot be told apart" // which does not mean: the same
	RunsDiffer Answer = "these runs differ"    // of one repeat: other repeats may not
	NotKnown   Answer = "not known"            // of one repeat, which has no interval
	TooFew     Answer = "too few repeats"      // they agree, but fewer than [Ranking].Least may by chance
)

// An Unranked target has no place, for a reason.
type Unranked struct {
	Target string `json:"target"`
	Reason string `json:"reason"`
}

// Rank ranks the targets of a run, or of several that are joined. It fails if no shape
// has two targets.
func Rank(set *compare.Set) (*Ranking, error) {
	r := &Ranking{Schema: Schema, Dir: set.Dir, Name: set.Run.Name, Started: set.Run.Started, Confidence: stats.Confidence}
	var family []question
	for _, f := range fields(set) {
		shape := Shape{Name: f.shape.ID(), Shape: f.shape, Repeats: f.repeats()}
		for i, percentile := range f.runners[0].trials[0].Cell.Plan.Settings.Asked() {
			row, questions := f.row(percentile)
			shape.Rows = append(shape.Rows, row)
			for _, q := range questions {
				q.shape, q.row = len(r.Shapes), i
				family = append(family, q)
			}
		}
		r.Shapes = append(r.Shapes, shape)
	}
	if len(r.Shapes) == 0 {
		return nil, fmt.Errorf("%s has no shape with two targets to rank, only %s (name a second folder to compare it with)", set.Dir, words.And(set.Targets()))
	}
	r.judge(family)
	return r, nil
}

// A question asks how two targets relate, in one row.
type question struct {
	versus     Versus
	shape, row int
	sample     stats.LogRatios
	differ     bool // their intervals do not overlap, in the only repeat
	bounded    bool // both have an interval there
}

// atLeast is how many repeats a comparison takes in any case.
const atLeast = 3

// LeastRepeats returns how many repeats so many comparisons of two targets take by themselves. On a
// machine that is slow in every second run, at random, one target is slow and the other is not in
// all n repeats with a probability of 2/4ⁿ, and nothing in them shows that it is not the target.
func LeastRepeats(comparisons int) int {
	n := atLeast
	for chance := 2. / 64; chance*float64(comparisons) > 1-stats.Confidence; chance /= 4 {
		n++
	}
	return n
}

// judge answers all questions together, and sets the rows' orders.
func (r *Ranking) judge(family []question) {
	var samples []stats.LogRatios
	var others []stats.Others
	alone := LeastRepeats(comparisons(family))
	for _, row := range group.By(family, func(q question) [2]int { return [2]int{q.shape, q.row} }) {
		first := len(samples)
		for _, q := range row {
			samples = append(samples, q.sample)
		}
		targets := len(r.Shapes[row[0].shape].Rows[row[0].row].Places)
		others = append(others, slices.Repeat([]stats.Others{stats.OthersOf(targets, samples[first:], alone)}, len(row))...)
	}
	for i, judged := range stats.JudgePairs(samples, others, stats.Confidence) {
		q := family[i]
		if len(q.sample) == 0 {
			continue // no repeat in common
		}
		if len(q.sample) > 1 {
			r.Judged, r.Least = r.Judged+1, alone
		}
		row := &r.Shapes[q.shape].Rows[q.row]
		q.answer(judged, others[i])
		row.Versus = append(row.Versus, q.versus)
		row.decides(q, judged.Level, others[i])
	}
	for _, s := range r.Shapes {
		for i := range s.Rows {
			s.Rows[i].order()
		}
	}
}

// comparisons returns how many comparisons of two targets have repeats.
func comparisons(family []question) int {
	couples := make(map[string]bool)
	for _, q := range family {
		if len(q.sample) > 1 {
			couples[fmt.Sprint(q.shape, min(q.versus.First, q.versus.Second), max(q.versus.First, q.versus.Second))] = true
		}
	}
	return len(couples)
}

func (q *question) answer(judged stats.PairRatio, o stats.Others) {
	q.versus.Ratio, q.versus.Answer = judged, NotApart
	n := len(q.sample)
	switch enough := n >= o.Alone || n >= atLeast && o.Deviation > 0; {
	case judged.Shown > 0 && enough:
		q.versus.Answer = Faster
		return
	case n > 1 && n < o.Alone && q.sample.HalfWidth(judged.Level) < math.Log(judged.Ratio):
		q.versus.Answer = TooFew
	case n == 1 && q.differ:
		q.versus.Answer = RunsDiffer
	case n == 1 && !q.bounded:
		q.versus.Answer = NotKnown
	}
	q.versus.Ratio.Shown = 0 // of too few, or the repeats contradict all of them together
}

// decides takes a comparison of the first target into account, if it shows nothing.
func (r *Row) decides(q question, level float64, o stats.Others) {
	if q.versus.First != r.Places[0].Target || q.versus.Answer == Faster || r.Decides < 0 {
		return
	}
	n, ok := q.sample.PairsToShow(level, o)
	if r.Decides = max(r.Decides, n, atLeast, len(q.sample)+1); !ok {
		r.Decides = -1 // unknown; see order
	}
}
