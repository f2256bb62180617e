// Package answer says what a run tells, shape by shape: which target was how fast, its
// repeats taken together, which of these numbers can be relied on, and in sentences what
// can and cannot be told apart.
//
//	a := answer.Of(run, cells)
//	for _, s := range a.Shapes {
//		fmt.Println(s.Title, s.Sentences)
//	}
//
// Who is faster is decided by package rank. This package decides nothing: it orders.
package answer

import (
	"cmp"
	"math"
	"slices"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
	"github.com/brokerbench/brokerbench/results/compare"
	"github.com/brokerbench/brokerbench/results/rank"
)

// An Answer is what a run tells. It has no shapes if nothing was measured.
type Answer struct {
	Shapes []Shape `json:"shapes"`
}

// A Shape is what was asked of one target or more, and how fast each was.
type Shape struct {
	Title   string     `json:"title"` // such as "1KiB at 3000/s over 25 connections"
	Shape   plan.Shape `json:"shape"`
	Repeats int        `json:"repeats"` // the most that a target has
	// By is the percentile that the targets are sorted by: p99 if it was asked for, else
	// the highest that was.
	By        float64  `json:"by"`
	Targets   []Target `json:"targets"`   // the fastest first, those that are invalid or have no value last
	Sentences []string `json:"sentences"` // what can be told apart, and what cannot
}

// A Target is one target with its repeats taken together.
type Target struct {
	Name     string          `json:"name"`
	Cells    []string        `json:"cells"`              // the IDs of its repeats
	LeftOut  []string        `json:"left_out,omitempty"` // the IDs of those that were interrupted, if others are whole: no number has them
	Verdict  results.Verdict `json:"verdict"`
	Ledger   results.Ledger  `json:"ledger"`             // of all repeats together
	Reached  float64         `json:"reached_per_s"`      // the least of its repeats in which anything was due
	Response []Number        `json:"response"`           // of each percentile that was asked for, and the maximum
	Service  []Number        `json:"service"`            // the same, uncorrected, of one repeat; none of several
	Ack      []Number        `json:"ack,omitempty"`      // the time until a message was acknowledged; absent if the target acknowledges nothing
	Complete []Number        `json:"complete,omitempty"` // until it was acknowledged and came back
	Floor    []Number        `json:"floor"`              // of a TCP echo in the target's place, of all repeats together; none if unknown

	repeats []*results.Cell
}

// A Number is one percentile. Of several repeats it is their geometric mean; the maximum
// is the longest of all.
type Number struct {
	Percentile float64 `json:"percentile"`
	NS         *int64  `json:"ns"`      // null: unknown, missing messages rank there
	LowNS      *int64  `json:"low_ns"`  // of its 95 % interval; null: not known
	HighNS     *int64  `json:"high_ns"` // null beside a LowNS: it has no upper bound
	Usable     bool    `json:"usable"`
	Limit      string  `json:"limit,omitempty"` // what limits it, such as "this machine and few events"
	AtLeast    bool    `json:"at_least"`        // of a maximum: missing messages rank above it
}

// Of returns what a run tells: cells are those that were measured.
func Of(run results.Run, cells []*results.Cell) *Answer {
	a := &Answer{Shapes: []Shape{}}
	for _, c := range cells {
		i := slices.IndexFunc(a.Shapes, func(s Shape) bool { return s.Shape == shapeOf(c) })
		if i < 0 {
			i = len(a.Shapes)
			a.Shapes = append(a.Shapes, Shape{Shape: shapeOf(c), By: sortedBy(c)})
		}
		a.Shapes[i].add(c)
	}
	ranking := rankingOf(run, cells)
	for i := range a.Shapes {
		s := &a.Shapes[i]
		s.Title = title(s.Shape)
		for j := range s.Targets {
			s.Targets[j].merge()
			s.Repeats = max(s.Repeats, len(s.Targets[j].Cells))
		}
		slices.SortStableFunc(s.Targets, func(a, b Target) int { return cmp.Compare(a.Rank(s.By), b.Rank(s.By)) })
		s.Sentences = s.tell(ranking)
	}
	return a
}

// rankingOf ranks the targets; nil if no shape has two.
func rankingOf(run results.Run, cells []*results.Cell) *rank.Ranking {
	set := &compare.Set{Run: run}
	for _, c := range cells {
		set.Trials = append(set.Trials, compare.Trial{Cell: c})
	}
	ranking, err := rank.Rank(set)
	if err != nil {
		return nil // it says that there is nothing to rank
	}
	return ranking
}

func shapeOf(c *results.Cell) plan.Shape {
	s := c.Plan.Shape
	s.Arrivals = cmp.Or(s.Arrivals, schedule.Constant)
	return s
}

// sortedBy returns the percentile that a cell is sorted by.
func sortedBy(c *results.Cell) float64 {
	asked := c.Plan.Settings.Asked()
	if slices.Contains(asked, 99) {
		return 99
	}
	return slices.Max(asked)
}

// add adds a cell to its target.
func (s *Shape) add(c *results.Cell) {
	i := slices.IndexFunc(s.Targets, func(t Target) bool { return t.Name == c.Plan.Target.Name })
	if i < 0 {
		i = len(s.Targets)
		s.Targets = append(s.Targets, Target{Name: c.Plan.Target.Name})
	}
	s.Targets[i].repeats = append(s.Targets[i].repeats, c)
}

// Floor returns the floor of the target whose floor is the slowest at By; nil if there is
// none.
func (s Shape) Floor() (slowest []Number) {
	most := int64(-1)
	for _, t := range s.Targets {
		if n, _ := at(t.Floor, s.By); n.NS != nil && *n.NS > most {
			slowest, most = t.Floor, *n.NS
		}
	}
	return slowest
}

// At returns a number of a target's response; ok is false if it was not asked for.
func (t Target) At(percentile float64) (n Number, ok bool) { return at(t.Response, percentile) }

func at(list []Number, percentile float64) (n Number, ok bool) {
	i := slices.IndexFunc(list, func(n Number) bool { return n.Percentile == percentile })
	if i < 0 {
		return Number{}, false
	}
	return list[i], true
}

// Rank is what targets are sorted by at a percentile, also those of several runs: its value
// in nanoseconds, and +Inf for those that are invalid or have no value, which are last.
func (t Target) Rank(percentile float64) float64 {
	n, _ := t.At(percentile)
	if n.NS == nil || t.Verdict == results.Invalid {
		return math.Inf(1)
	}
	return float64(*n.NS)
}
