package plot

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/brokerbench/brokerbench/results"
	"github.com/brokerbench/brokerbench/results/source"
)

// A Ladder is the cells that differ in nothing but their rate, by rate.
type Ladder struct {
	Name  string
	Cells []*results.Cell
}

// Ladders finds them among sources: cells of the same target, shape and repeat.
// Cells that are alone are left out, and told. Common is what all ladders have in
// common.
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
		if group := groups[key]; len(group) > 1 {
			firsts, ladders = append(firsts, rateless(group[0])), append(ladders, ladderOf(group))
		} else {
			alone = append(alone, group[0].Name()+": no other cell differs from it in rate only")
		}
	}
	if len(ladders) == 0 {
		return nil, "", nil, fmt.Errorf("%w: no two of %d cells differ in their rate only (measure some, such as with --rate 1k..16k*2)", ErrInput, len(sources))
	}
	names, common := source.Names(firsts)
	for i, name := range names {
		ladders[i].Name = name
	}
	return ladders, common, alone, nil
}

// keyOf is the same for cells that differ in nothing but the rate.
func keyOf(s source.Source) string {
	p := s.Cell.Plan
	p.Shape.Rate = 0
	return fmt.Sprintf("%s|%s|%v|%v|%d", s.Run, p.Target.URL, p.Target.Name, p.Shape, p.Repeat)
}

// rateless returns a source that is named without its rate.
func rateless(s source.Source) source.Source {
	c := *s.Cell
	c.Plan.Shape.Rate = 0
	s.Cell = &c
	return s
}

func ladderOf(group []source.Source) (l Ladder) {
	for _, s := range group {
		l.Cells = append(l.Cells, s.Cell)
	}
	slices.SortStableFunc(l.Cells, func(a, b *results.Cell) int { return cmp.Compare(a.Plan.Shape.Rate, b.Plan.Shape.Rate) })
	return l
}
