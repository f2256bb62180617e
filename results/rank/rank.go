// Package rank says which target of a run is the fastest, shape by shape, how sure
// that is, and what cannot be told apart.
//
//	set, err := compare.Open("brokerbench-results/20261101-four")
//	ranking, err := rank.Rank(set)
//
// # Method
//
// The targets of a shape are measured by turns within each repeat, so the values of
// two targets in the same repeat are a pair: see package results/paired. Every two
// targets are compared, and all comparisons of all shapes and percentiles are judged
// together: if nothing differs, the chance that a ranking says anything is 5 %.
//
// With one repeat nobody knows how repeats differ. Then targets are listed by their
// values, those whose own intervals do not overlap are said to differ in this run, and
// no winner is named.
package rank

import (
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results/compare"
	"github.com/brokerbench/brokerbench/results/paired"
)

// Schema is that of a Ranking in JSON.
const Schema = "brokerbench/rank/1"

// A Ranking is the order of the targets of a run.
type Ranking struct {
	Schema     string    `json:"schema"` // Schema
	Dir        string    `json:"dir"`
	Name       string    `json:"name"`
	Started    time.Time `json:"started"`
	Confidence float64   `json:"confidence"` // that no two targets are said to differ if none do
	Judged     int       `json:"judged"`     // how many pairs of targets were judged together
	Shapes     []Shape   `json:"shapes"`     // those that two targets or more were measured with
}

// A Shape is what was asked of the targets, and who was how fast.
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
	// that has no interval to tell by.
	Order string `json:"order"`
	// Except lists pairs of targets that Order gives a wrong idea of, such as
	// "nats < rabbitmq" if it says "nats ≈ redis ≈ rabbitmq".
	Except []string `json:"except,omitempty"`
	// Winner is the target that is shown to be faster than every other one. "" if
	// there is none.
	Winner   string     `json:"winner"`
	Places   []Place    `json:"places"`
	Versus   []Versus   `json:"versus"` // every two of Places
	Unranked []Unranked `json:"unranked,omitempty"`
	// Repeats10 is how many repeats would tell apart two targets that differ by 10 %, if
	// they vary as the pair does that varies most; 0: not known, or above 10,000.
	Repeats10 int `json:"repeats_for_10_percent"`
}

// A Place is one target of an order.
type Place struct {
	Target  string `json:"target"`
	Repeats int    `json:"repeats"`
	NS      int64  `json:"ns"` // the geometric mean of its repeats
	// Limits has all that limits the number in any repeat, in words such as "this machine";
	// none if it can be used.
	Limits  []string `json:"limits,omitempty"`
	Suspect bool     `json:"suspect,omitempty"` // one repeat is, at least
}

// A Versus is what is known of two targets.
type Versus struct {
	First  string        `json:"first"` // the one with the smaller geometric mean
	Second string        `json:"second"`
	Ratio  paired.Judged `json:"ratio"` // second/first, of the repeats that both have
	Answer Answer        `json:"answer"`
}

// An Answer says how two targets relate.
type Answer string

// The answers.
const (
	Faster     Answer = "faster"               // the first is shown to be
	NotApart   Answer = "cannot be told apart" // which is not: the same
	RunsDiffer Answer = "these runs differ"    // of one repeat: not that the targets do
	NotKnown   Answer = "not known"            // of one repeat, which has no interval
)

// An Unranked target has no place, and says why.
type Unranked struct {
	Target string `json:"target"`
	Reason string `json:"reason"`
}

// Rank ranks the targets of a run, or of several that are joined. The error says that
// no shape has two targets.
func Rank(set *compare.Set) (*Ranking, error) {
	r := &Ranking{Schema: Schema, Dir: set.Dir, Name: set.Run.Name, Started: set.Run.Started, Confidence: paired.Confidence}
	var family []question
	for _, f := range fields(set) {
		shape := Shape{Name: f.shape.String(), Shape: f.shape, Repeats: f.repeats()}
		for _, percentile := range f.asked() {
			contest := newContest(f, percentile)
			shape.Rows = append(shape.Rows, contest.row())
			for _, q := range contest.questions() {
				q.shape, q.row = len(r.Shapes), len(shape.Rows)-1
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
	sample     paired.Sample
	differ     bool // their intervals do not overlap, in the only repeat
	bounded    bool // both have an interval there
}

// judge answers all questions together, and writes the rows' orders.
func (r *Ranking) judge(family []question) {
	var samples []paired.Sample
	for _, q := range family {
		samples = append(samples, q.sample)
	}
	for i, judged := range paired.Judge(samples, paired.Confidence) {
		q := family[i]
		q.versus.Ratio, q.versus.Answer = judged, NotApart
		switch {
		case len(q.sample) == 0:
			continue // no repeat in common
		case len(q.sample) > 1:
			r.Judged++
		}
		switch {
		case judged.Shown > 0:
			q.versus.Answer = Faster
		case judged.Shown < 0: // the pairs that both have say otherwise than all repeats
			q.versus.First, q.versus.Second = q.versus.Second, q.versus.First
			q.versus.Ratio, q.versus.Answer = judged.Inverse(), Faster
		case len(q.sample) == 1 && q.differ:
			q.versus.Answer = RunsDiffer
		case len(q.sample) == 1 && !q.bounded:
			q.versus.Answer = NotKnown
		}
		row := &r.Shapes[q.shape].Rows[q.row]
		row.Versus = append(row.Versus, q.versus)
		row.Repeats10 = repeats10(row.Repeats10, len(row.Versus) == 1, q.sample, judged.Level)
	}
	for _, s := range r.Shapes {
		for i := range s.Rows {
			s.Rows[i].order()
		}
	}
}

// repeats10 returns the larger of what was needed so far and what this sample needs;
// 0 if either is not known.
func repeats10(before int, first bool, s paired.Sample, level float64) int {
	n, ok := s.Needed(0.1, level)
	if !ok || before == 0 && !first {
		return 0
	}
	return max(before, n)
}

// find returns what is known of two targets, in either order.
func (r *Row) find(a, b string) (v Versus, ok bool) {
	i := slices.IndexFunc(r.Versus, func(v Versus) bool { return v.First == a && v.Second == b || v.First == b && v.Second == a })
	if i < 0 {
		return Versus{}, false
	}
	return r.Versus[i], true
}
