package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
	"github.com/brokerbench/brokerbench/results/source"
)

// A Ladder is the cells that differ only in their rate, with their repeats, sorted
// by rate.
type Ladder struct {
	Name   string
	Target string // of all of them
	Cells  []*results.Cell
}

// Ladders finds the ladders among sources: cells of the same target and shape.
// Common is what all ladders have in common; alone lists the cells that are in none.
func Ladders(sources []source.Source) (ladders []Ladder, common string, alone []string, err error) {
	groups := make(map[string][]source.Source)
	var keys []string
	for _, s := range sources {
		if s.Cell == nil {
			return nil, "", nil, fmt.Errorf("%s: %w: a file does not say at which rate it was measured (want the folder of a run or of cells)", s.Path, ErrInput)
		}
		key := keyOf(s)
		if groups[key] == nil {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], s)
	}
	var firsts []source.Source
	for _, key := range keys {
		if group := groups[key]; slices.ContainsFunc(group, func(s source.Source) bool { return rateOf(s) != rateOf(group[0]) }) {
			firsts, ladders = append(firsts, rateless(group[0])), append(ladders, ladderOf(group))
		} else {
			alone = append(alone, group[0].Name()+": no other cell differs from it only in its rate")
		}
	}
	if len(ladders) == 0 {
		return nil, "", nil, fmt.Errorf("%w: no two of %d cells differ only in their rate (measure some, such as with --rate 1k..16k*2)", ErrInput, len(sources))
	}
	names, common := source.Names(firsts)
	for i, name := range names {
		ladders[i].Name = name
	}
	return ladders, common, alone, nil
}

func rateOf(s source.Source) schedule.Rate { return s.Cell.Plan.Shape.Rate }

// keyOf is the same for cells that differ only in rate and repeat.
func keyOf(s source.Source) string {
	p := s.Cell.Plan
	p.Shape.Rate = 0
	return fmt.Sprintf("%s|%s|%v|%v", s.Run, p.Target.URL, p.Target.Name, p.Shape)
}

// rateless returns a source that is named without its rate and repeat.
func rateless(s source.Source) source.Source {
	c := *s.Cell
	c.Plan.Shape.Rate, c.Plan.Repeat = 0, 0
	s.Cell = &c
	return s
}

func ladderOf(group []source.Source) (l Ladder) {
	l.Target = targetOf(group[0])
	for _, s := range group {
		l.Cells = append(l.Cells, s.Cell)
	}
	slices.SortStableFunc(l.Cells, func(a, b *results.Cell) int { return cmp.Compare(a.Plan.Shape.Rate, b.Plan.Shape.Rate) })
	return l
}

// A rung is the cells of one rate.
type rung []*results.Cell

// rungs returns them in ascending order.
func (l Ladder) rungs() (list []rung) {
	for i, c := range l.Cells {
		if i == 0 || l.Cells[i-1].Plan.Shape.Rate != c.Plan.Shape.Rate {
			list = append(list, nil)
		}
		list[len(list)-1] = append(list[len(list)-1], c)
	}
	return list
}

// middle returns the repeat whose percentile is the median, the upper of the two in
// the middle of an even number: percentiles are never averaged. An unknown one
// ranks above every value.
func (r rung) middle(percentile float64) *results.Cell {
	rank := func(c *results.Cell) time.Duration {
		row, _ := c.Response.At(percentile)
		if v, known := row.Value(); known {
			return v
		}
		return math.MaxInt64
	}
	sorted := slices.SortedStableFunc(slices.Values(r), func(a, b *results.Cell) int { return cmp.Compare(rank(a), rank(b)) })
	return sorted[len(sorted)/2]
}
