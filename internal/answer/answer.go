// Package answer sums up a run, shape by shape: the numbers of each target over all its
// repeats, whether they can be used, and in sentences which targets can be told apart.
//
//	a := answer.Of(run, cells)
//	for _, s := range a.Shapes {
//		fmt.Println(s.Title, s.Sentences)
//	}
//
// Package rank decides which target is faster; this package only sorts and writes.
package answer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/compare/rank"
	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// An Answer sums up a run. It has no shapes if nothing was measured.
type Answer struct {
	Shapes []Shape `json:"shapes"`
}

// A Shape is a load, with the numbers of the targets under it.
type Shape struct {
	Title   string     `json:"title"` // such as "1KiB at 3000/s over 25 connections"
	Shape   plan.Shape `json:"shape"`
	Repeats int        `json:"repeats"` // the most that a target has
	// By is the percentile by which the targets are sorted: p99 if the plan asks for it, else
	// the highest one of the plan.
	By        float64  `json:"by"`
	Targets   []Target `json:"targets"`   // the fastest first, those that are invalid or have no value last
	Sentences []string `json:"sentences"` // what each fault did, and which targets can be told apart
}

// A Target is one target, with the numbers of all its repeats.
type Target struct {
	Name     string          `json:"name"`
	Cells    []string        `json:"cells"`              // the IDs of its repeats
	LeftOut  []string        `json:"left_out,omitempty"` // the IDs of interrupted repeats, which are in no number, if others are whole
	Verdict  results.Verdict `json:"verdict"`
	Ledger   results.Ledger  `json:"ledger"`             // of all repeats
	WindowNS int64           `json:"window_ns"`          // of all repeats
	Reached  float64         `json:"reached_per_s"`      // the least of its repeats with due messages
	Response []Number        `json:"response"`           // the percentiles of the plan, and the maximum
	Service  []Number        `json:"service"`            // the same, uncorrected, for a single repeat; else empty
	Ack      []Number        `json:"ack,omitempty"`      // until a message was acknowledged; absent for targets without acknowledgements
	Complete []Number        `json:"complete,omitempty"` // until it was acknowledged and came back
	Floor    []Number        `json:"floor"`              // of a TCP echo in the target's place, over all repeats; empty if unknown
}

// A Number is one percentile of all repeats together. The maximum is the longest reply.
type Number struct {
	Percentile float64 `json:"percentile"`
	NS         *int64  `json:"ns"`      // null: unknown, missing messages rank there
	LowNS      *int64  `json:"low_ns"`  // the lower bound of its 95 % interval; null: unknown
	HighNS     *int64  `json:"high_ns"` // null beside a LowNS: it has no upper bound
	Usable     bool    `json:"usable"`
	Limit      string  `json:"limit,omitempty"` // its limits, such as "this machine and few events"
	AtLeast    bool    `json:"at_least"`        // for a maximum: missing messages rank above it
	// Unseen is true if the number and its interval would be higher with pauses that the
	// measured time does not exclude, though none came: see [results.Unseen].
	Unseen bool `json:"unseen_pauses,omitempty"`
}

// Of sums up a run and its measured cells.
func Of(run results.Run, cells []*results.Cell) *Answer {
	a := &Answer{Shapes: []Shape{}}
	ranking := rankingOf(run, cells)
	for _, alike := range group.By(cells, shapeOf) {
		s := Shape{Sentences: []string{}, Title: title(shapeOf(alike[0])), Shape: shapeOf(alike[0]), By: sortedBy(alike[0])}
		for _, repeats := range group.By(alike, func(c *results.Cell) string { return c.Plan.Target.Name }) {
			t := targetOf(repeats)
			s.Sentences = append(s.Sentences, faultSentences(t.Name, repeats)...)
			s.Targets, s.Repeats = append(s.Targets, t), max(s.Repeats, len(t.Cells))
		}
		slices.SortStableFunc(s.Targets, func(a, b Target) int { return cmp.Compare(a.Rank(s.By), b.Rank(s.By)) })
		s.Sentences = append(s.Sentences, s.tell(ranking)...)
		a.Shapes = append(a.Shapes, s)
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
		return nil // no shape has two targets
	}
	return ranking
}

func shapeOf(c *results.Cell) plan.Shape {
	s := c.Plan.Shape
	s.Arrivals = cmp.Or(s.Arrivals, schedule.Constant)
	return s
}

// sortedBy returns the percentile by which a cell is sorted.
func sortedBy(c *results.Cell) float64 {
	asked := c.Plan.Settings.Asked()
	if slices.Contains(asked, 99) {
		return 99
	}
	return slices.Max(asked)
}

func title(s plan.Shape) string {
	rate := s.Rate.Column()
	if !strings.Contains(rate, "/") { // 6/m has its unit
		rate += "/s"
	}
	text := fmt.Sprintf("%s at %s over %s", words.Size(s.Size), rate, words.Plural(s.Connections, "connection"))
	if s.InFlight > 0 {
		text += fmt.Sprintf(", %d in flight", s.InFlight)
	}
	if s.Arrivals != schedule.Constant {
		text += ", arrivals " + string(s.Arrivals)
	}
	return text
}

// Floor returns the floor that is the slowest at By; nil if there is none.
func (s Shape) Floor() (slowest []Number) {
	most := int64(-1)
	for _, t := range s.Targets {
		if n, _ := at(t.Floor, s.By); n.NS != nil && *n.NS > most {
			slowest, most = t.Floor, *n.NS
		}
	}
	return slowest
}

// At returns a number of a target's response; ok is false if it has none.
func (t Target) At(percentile float64) (n Number, ok bool) { return at(t.Response, percentile) }

func at(list []Number, percentile float64) (n Number, ok bool) {
	i := slices.IndexFunc(list, func(n Number) bool { return n.Percentile == percentile })
	if i < 0 {
		return Number{}, false
	}
	return list[i], true
}

// Rank returns the key by which targets are sorted at a percentile, also across runs: the value
// in nanoseconds, and +Inf if the target is invalid or has no value.
func (t Target) Rank(percentile float64) float64 {
	n, _ := t.At(percentile)
	if n.NS == nil || t.Verdict == results.Invalid {
		return math.Inf(1)
	}
	return float64(*n.NS)
}
