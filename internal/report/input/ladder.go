package input

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// A Ladder is the cells that differ only in their rate, sorted by rate.
type Ladder struct {
	Name   string
	Target string // of all of them
	Rungs  []Rung
}

// A Rung is the cells of one rate of a ladder: repeats of each other.
type Rung struct {
	Rate     schedule.Rate
	Response results.Distribution // of all of them together
	Verdict  results.Verdict      // the worst of theirs
	Cells    []*results.Cell
}

// Ladders finds the ladders among sources: cells of the same target and shape.
// Common is what all ladders have in common; alone lists the cells that are in none.
func Ladders(sources []source.Source) (ladders []Ladder, common string, alone []string, err error) {
	if i := slices.IndexFunc(sources, func(s source.Source) bool { return s.Cell == nil }); i >= 0 {
		return nil, "", nil, fmt.Errorf("%s: %w: a file does not say at which rate it was measured (want the folder of a run or of cells)", sources[i].Path, ErrInput)
	}
	var firsts []source.Source
	for _, cells := range group.By(sources, keyOf) {
		rungs := group.By(cells, rateOf)
		if len(rungs) == 1 {
			alone = append(alone, cells[0].Name()+": no other cell differs from it only in its rate")
			continue
		}
		ladder, err := ladderOf(rungs)
		if err != nil {
			return nil, "", nil, err
		}
		firsts, ladders = append(firsts, rateless(cells[0])), append(ladders, ladder)
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

func ladderOf(rates [][]source.Source) (l Ladder, err error) {
	l.Target = targetOf(rates[0][0])
	slices.SortFunc(rates, func(a, b []source.Source) int { return cmp.Compare(rateOf(a[0]), rateOf(b[0])) })
	for _, repeats := range rates {
		rung, err := rungOf(repeats)
		if err != nil {
			return l, err
		}
		l.Rungs = append(l.Rungs, rung)
	}
	return l, nil
}

// rungOf adds up the repeats of a rate.
func rungOf(repeats []source.Source) (r Rung, err error) {
	repeats = whole(repeats)
	r = Rung{Rate: rateOf(repeats[0]), Response: repeats[0].Cell.Response, Verdict: worst(repeats), Cells: cellsOf(repeats)}
	if len(repeats) > 1 {
		all, err := sumOf(repeats, source.Response)
		if err != nil {
			return r, err
		}
		r.Response = all.Distribution
	}
	return r, nil
}

// Usable reports whether a percentile may be used.
func (r Rung) Usable(percentile float64) bool {
	row, _ := r.Response.At(percentile)
	return row.Usable()
}

// Bounds returns the interval of a percentile: the 95 % confidence, or of repeats the lowest
// and the highest, if each has one.
func (r Rung) Bounds(percentile float64) (low, high time.Duration, known bool) {
	if row, _ := r.Response.At(percentile); len(r.Cells) == 1 {
		return bounds(row)
	}
	each := make([]results.Distribution, len(r.Cells))
	for i, c := range r.Cells {
		each[i] = c.Response
	}
	return spread(each, percentile)
}
