// Package answer sums up a run for people: the numbers of each target over all its repeats,
// which targets can be told apart, how many of the numbers can be used, why the others cannot,
// and the command to run next. The terminal and the page show the same answer.
//
//	a := answer.Of(run, cells)
//	for _, s := range a.Shapes {
//		fmt.Println(s.Title, s.Sentences)
//	}
//
// Package rank decides which target is faster; this package only writes.
package answer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/compare/rank"
	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// An Answer sums up a run. It has no shapes if nothing was measured.
type Answer struct {
	Shapes []Shape `json:"shapes"` // in the order of the plan
	Belief Belief  `json:"belief"`
	// Next is the command line that is the most sensible next, without passwords; "" if the run
	// has none.
	Next []string `json:"next,omitempty"`

	repeat time.Duration // how long a repeat of the plan takes
}

// A Shape is a load, with the numbers of the targets under it.
type Shape struct {
	Title   string     `json:"title"` // such as "1 KiB at 3,000/s, 25 connections"
	Shape   plan.Shape `json:"shape"`
	Repeats int        `json:"repeats"` // the most that a target has
	// By is the percentile that stands for a shape: p99 if the plan asks for it, else the highest
	// one of the plan.
	By        float64  `json:"by"`
	Targets   []Target `json:"targets"`          // in the order of the plan
	Faults    []string `json:"faults,omitempty"` // what each fault did
	Causes    []string `json:"causes,omitempty"` // what the worst messages of a target have in common
	Sentences []string `json:"sentences"`        // which targets can be told apart

	rows  []rank.Row // by percentile
	least int        // so many repeats an answer takes
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

	unverified bool   // the broker could not show that it backs its level of durability
	echo       string // what Floor is of; "" if unknown
}

// A Number is one percentile of all repeats together. The maximum is the longest reply.
type Number struct {
	Percentile float64 `json:"percentile"`
	NS         *int64  `json:"ns"`      // null: unknown, missing messages rank there
	LowNS      *int64  `json:"low_ns"`  // the lower bound of its 95 % interval; null: unknown
	HighNS     *int64  `json:"high_ns"` // null beside a LowNS: it has no upper bound
	Usable     bool    `json:"usable"`
	Limit      string  `json:"limit,omitempty"` // its limits, such as "this machine and few events"
	// LimitedBy are the problems that limit it, in one cell or more.
	LimitedBy []results.Code `json:"limited_by,omitempty"`
	Events    float64        `json:"events,omitempty"` // independent events above it; 0: unknown
	AtLeast   bool           `json:"at_least"`         // for a maximum: missing messages rank above it
	// Unseen is true if the number and its interval would be higher with pauses that the
	// measured time does not exclude, though none came: see [results.Unseen].
	Unseen bool `json:"unseen_pauses,omitempty"`
}

// Of sums up a run and its measured cells.
func Of(run results.Run, cells []*results.Cell) *Answer {
	cells = results.BySize(cells)
	a := &Answer{Shapes: []Shape{}, repeat: run.Plan.Took() / time.Duration(max(run.Plan.Repeat, 1))}
	ranking := rankingOf(run, cells)
	byPlan := func(c *results.Cell) int {
		return slices.IndexFunc(run.Plan.Targets, func(t plan.Target) bool { return t.Name == c.Plan.Target.Name })
	}
	for _, alike := range group.By(cells, shapeOf) {
		s := Shape{Title: plan.Phrase(shapeOf(alike[0]).Parts()), Shape: shapeOf(alike[0]), By: standsFor(alike[0])}
		slices.SortStableFunc(alike, func(a, b *results.Cell) int { return cmp.Compare(byPlan(a), byPlan(b)) })
		for _, repeats := range group.By(alike, func(c *results.Cell) string { return c.Plan.Target.Name }) {
			t := targetOf(repeats)
			s.Faults = append(s.Faults, faultSentences(t.Name, repeats)...)
			s.Causes = append(s.Causes, causeSentences(t.Name, repeats)...)
			s.Targets, s.Repeats = append(s.Targets, t), max(s.Repeats, len(t.Cells))
		}
		a.tell(&s, ranking)
		a.Shapes = append(a.Shapes, s)
	}
	a.Belief = a.belief(cells)
	a.Next = a.next(run)
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

// standsFor returns the percentile that stands for a cell.
func standsFor(c *results.Cell) float64 {
	asked := c.Plan.Settings.Asked()
	if slices.Contains(asked, 99) {
		return 99
	}
	return slices.Max(asked)
}

// Titles returns what all shapes have in common, and for each what it alone has, in short:
// "256B 3000/s c1".
func (a *Answer) Titles() (common string, own []string) {
	var shapes []plan.Shape
	for _, s := range a.Shapes {
		shapes = append(shapes, s.Shape)
	}
	return Titles(shapes)
}

// Titles is [Answer.Titles] of shapes. A rate of 0 is any rate, and not named.
func Titles(shapes []plan.Shape) (common string, own []string) {
	var lists [][]string
	for _, s := range shapes {
		lists = append(lists, s.Parts())
	}
	if len(lists) == 0 {
		return "", nil
	}
	shared, differs := slices.Clone(lists[0]), make([]bool, len(lists[0]))
	for i := range shared {
		if slices.ContainsFunc(lists, func(l []string) bool { return l[i] != lists[0][i] }) {
			shared[i], differs[i] = "", true
		}
	}
	for i, s := range shapes {
		label, usual := []string{s.SizeText(), lists[i][1], fmt.Sprintf("c%d", s.Connections), fmt.Sprintf("f%d", s.InFlight), string(s.Arrivals), s.Topology.Short(), s.MessageText(), s.StoreText()}, ""
		for j := range label {
			if !differs[j] || lists[i][j] == "" {
				label[j] = ""
			}
			if differs[j] && lists[i][j] == "" && usual == "" {
				usual = [...]string{"any size", "any rate", "", "open", string(schedule.Constant), "own topics", "random", "no backlog"}[j]
			}
		}
		own = append(own, cmp.Or(strings.Join(strings.Fields(strings.Join(label, " ")), " "), usual))
	}
	return plan.Phrase(shared), own
}

// Floor returns the floor that is the slowest at By, and of what it is; nil if there is none. Below is false if it is
// not below every target at every percentile: then the machine is too noisy to have one.
func (s Shape) Floor() (slowest []Number, of string, below bool) {
	most := int64(-1)
	for _, t := range s.Targets {
		if n, _ := at(t.Floor, s.By); n.NS != nil && *n.NS > most {
			slowest, of, most = t.Floor, t.echo, *n.NS
		}
	}
	for _, f := range slowest {
		for _, t := range s.Targets {
			if n, _ := t.At(f.Percentile); t.echo == of && n.NS != nil && (f.NS == nil || *f.NS >= *n.NS) {
				return slowest, of, false
			}
		}
	}
	return slowest, of, true
}

// Target returns a target by its name; ok is false if it was not measured with the shape.
func (s Shape) Target(name string) (t Target, ok bool) {
	i := slices.IndexFunc(s.Targets, func(t Target) bool { return t.Name == name })
	if i < 0 {
		return Target{}, false
	}
	return s.Targets[i], true
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
