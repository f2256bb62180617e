package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/search"
	"github.com/brokerbench/brokerbench/results"
)

// apart is the factor by which fewer searches than a statement takes must be inside or outside its bounds:
// they do not show how much one search differs from the next. Two sides whose highest rates vary by 10 % each
// from search to search differ so much by chance once in 250 searches (docs/simulations/claims.md).
const apart = 1.5

// judgeFew judges searches that are too few for an interval by the ends of their brackets. It
// reports whether the statement is about such searches.
func (s *Statement) judgeFew() bool {
	if !s.searched || len(s.lows) >= s.enough {
		return false
	}
	low, high := slices.Min(s.lows), slices.Max(s.highs)
	s.interval(low, high)
	s.decide(low-math.Log(apart), high+math.Log(apart))
	return true
}

// stateSearched states the ratio of two highest rates, or of the costs there.
func (j *Judged) stateSearched(runs []*Run) {
	sides, text := j.sides(), fmt.Sprintf("highest rate with %v", j.SLO())
	if j.Cost != nil {
		text = j.Cost.CPU.text() + " at the " + text
	}
	var both [2][]point
	for i, side := range []Side{sides.Of, sides.To} {
		var ok bool
		if both[i], ok = j.searches(runs, side, text+" of "+side.String()); !ok {
			return
		}
	}
	j.ratio(fmt.Sprintf("%s of %v / %v", text, sides.Of, sides.To), both[0], both[1], sides.Low, sides.High)
}

// searches returns a point for each search of a side. Those that ended early are left out.
func (j *Judged) searches(runs []*Run, side Side, text string) (list []point, ok bool) {
	var shapes []string
	found, shape := 0, cmp.Or(side.Shape, j.Shape)
	for _, run := range runs {
		for _, r := range run.searches() {
			shapes = append(shapes, r.Shape.ID())
			i := slices.IndexFunc(r.Rows, func(row search.Row) bool { return row.Objective == j.SLO() })
			if i < 0 || r.Target != side.Target || shape != "" && r.Shape.ID() != shape {
				continue
			}
			if found++; r.Rows[i].Status != search.Unfinished {
				list = append(list, j.searched(run, r, r.Rows[i], text))
			}
		}
	}
	if !j.oneShape(shapes, shape) {
		return nil, false
	}
	switch {
	case found == 0:
		j.undecided("%s was not searched for %v", side.Target, j.SLO())
	case len(list) == 0:
		j.undecided("each search of %s ended early", side.Target)
	}
	return list, len(list) > 0
}

// searches returns the searches of a run.
func (r *Run) searches() []search.Result {
	if r.Search == nil {
		return nil
	}
	return r.Search.Searches
}

// searched returns the highest rate that a search found, as a bracket, or the cost there.
func (j *Judged) searched(run *Run, r search.Result, row search.Row, text string) point {
	p := point{dir: run.Dir, low: float64(row.Rate), high: float64(row.Above)}
	switch row.Status {
	case search.AtMax, search.ByClient, search.NotKnown, search.NotDecided:
		p.high = 0 // what is above is not, or may not be, the target's limit
	case search.Opposed, search.Hysteresis:
		p.low, p.high = 0, 0
	case search.Found, search.NotKept, search.Unfinished:
	}
	if p.high == 0 {
		p.high = math.Inf(1)
	}
	switch {
	case j.Cost != nil && row.Status != search.Found, p.low == 0 && math.IsInf(p.high, 1):
		p.why = fmt.Sprintf("%s: the search ended with %q", text, row.Status)
	case j.Cost != nil:
		var why string
		if p.low, why = j.Cost.CPU.of(run.costAt(r, row.Rate)); why != "" {
			p.why = text + why
		}
		p.high = p.low
	}
	return p
}

// costAt returns the cost of a message in the probes of one rate; nil: unknown.
func (r *Run) costAt(of search.Result, rate int) *results.Cost {
	var costs []results.Cost
	for _, p := range of.Probes {
		i := slices.IndexFunc(r.Trials, func(t compare.Trial) bool { return t.Cell.ID == p.CellID })
		if p.Rate == rate && i >= 0 && r.Trials[i].Cell.Cost != nil {
			costs = append(costs, *r.Trials[i].Cell.Cost)
		}
	}
	if len(costs) == 0 {
		return nil
	}
	return results.MeanCost(costs)
}
