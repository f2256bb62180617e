package claims

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// state makes the statements of a claim.
func (j *Judged) state(runs []*Run) {
	var trials []compare.Trial
	for _, run := range runs {
		trials = append(trials, run.Trials...)
	}
	switch {
	case j.SLO() != (plan.Objective{}):
		j.stateSearched(runs)
	case j.Rank != nil:
		j.stateRank(trials)
	case j.Ratio != nil:
		j.stateRatio(trials)
	case j.Cost != nil:
		j.stateCost(trials)
	case j.Lost != nil:
		j.stateNoneLost(trials)
	case j.Outage != nil:
		j.stateOutage(trials)
	}
}

// stateRank states that each group is faster than the next one, and that equals are.
func (j *Judged) stateRank(trials []compare.Trial) {
	by, text := make(map[string][]point), fmt.Sprintf("p%v", j.Rank.Percentile)
	if j.Rank.Series != "" {
		text = j.Rank.Series + " " + text
	}
	for _, name := range j.Targets() {
		measured, ok := j.measured(trials, Side{Target: name})
		if !ok {
			return
		}
		by[name] = points(measured, text+" of "+name, percentile(j.Rank.Series, j.Rank.Percentile))
	}
	ratio := func(of, to string, low, high float64) {
		j.ratio(fmt.Sprintf("%s of %s / %s", text, of, to), by[of], by[to], low, high)
	}
	groups, within := j.Rank.groups(), cmp.Or(j.Rank.Within, 1.1)
	for i, names := range groups {
		for k, a := range names {
			for _, b := range names[k+1:] {
				ratio(b, a, 1/within, within)
			}
			if i == len(groups)-1 {
				continue
			}
			for _, b := range groups[i+1] {
				ratio(b, a, 1, 0)
			}
		}
	}
}

// stateRatio states how many times as long one side takes as the other.
func (j *Judged) stateRatio(trials []compare.Trial) {
	r := j.Ratio
	of, ok := j.measured(trials, r.Of)
	to := of // a floor is a part of the cell
	if ok && r.To.Target != Floor {
		to, ok = j.measured(trials, r.To)
	}
	if !ok {
		return
	}
	side := func(s Side, measured []compare.Trial) []point {
		p := cmp.Or(s.Percentile, r.Percentile)
		if s.Target == Floor {
			return points(slices.DeleteFunc(slices.Clone(measured), func(t compare.Trial) bool { return t.Cell.Floor == nil }), "the floor", floorAt(p))
		}
		return points(measured, fmt.Sprintf("p%v of %v", p, Side{Target: s.Target, Series: s.Series, Shape: s.Shape}), percentile(s.Series, p))
	}
	text := fmt.Sprintf("%v / %v", r.Of, r.To)
	if r.Percentile != 0 {
		text = fmt.Sprintf("p%v of %s", r.Percentile, text)
	}
	j.ratio(text, side(r.Of, of), side(r.To, to), r.Low, r.High)
}

// stateCost states how many times as much CPU time a message takes on one side as on the other.
func (j *Judged) stateCost(trials []compare.Trial) {
	c := j.Cost
	of, ok := j.measured(trials, c.Of)
	if !ok {
		return
	}
	to, ok := j.measured(trials, c.To)
	if !ok {
		return
	}
	value := func(t compare.Trial) (float64, string) { return c.CPU.of(t.Cell.Cost) }
	text := c.CPU.text()
	j.ratio(fmt.Sprintf("%s of %v / %v", text, c.Of, c.To), points(of, text+" of "+c.Of.String(), value), points(to, text+" of "+c.To.String(), value), c.Low, c.High)
}

// measured returns the trials of a side, if all that were not interrupted can be used.
func (j *Judged) measured(trials []compare.Trial, s Side) (of []compare.Trial, ok bool) {
	of, ok = j.ofShape(trials, cmp.Or(s.Shape, j.Shape))
	if !ok {
		return nil, false
	}
	of = slices.DeleteFunc(of, func(t compare.Trial) bool { return t.Target() != s.Target })
	if j.Lost != nil && j.countLost(of) {
		return nil, false
	}
	return j.whole(s.Target, of)
}

// ofShape returns the trials of a shape; "" is the only one.
func (j *Judged) ofShape(trials []compare.Trial, shape string) (of []compare.Trial, ok bool) {
	var shapes []string
	for _, t := range trials {
		id := t.Shape().ID()
		if shapes = append(shapes, id); shape == "" || id == shape {
			of = append(of, t)
		}
	}
	return of, j.oneShape(shapes, shape)
}

// oneShape reports whether a shape is among those that were measured; "" is the only one.
func (j *Judged) oneShape(shapes []string, shape string) bool {
	shapes = group.Unique(shapes)
	switch {
	case len(shapes) == 0:
		j.undecided("nothing was measured")
	case shape == "" && len(shapes) > 1:
		j.undecided("the claim names no shape, and there are %s", words.And(shapes))
	case shape != "" && !slices.Contains(shapes, shape):
		j.undecided("the shape %s was not measured, only %s", shape, words.And(shapes))
	default:
		return true
	}
	return false
}

// whole returns the repeats of a target that were not interrupted.
func (j *Judged) whole(name string, trials []compare.Trial) (of []compare.Trial, ok bool) {
	for _, t := range trials {
		switch {
		case t.Cell.Interrupted:
		case t.Cell.Verdict == results.Invalid:
			j.undecided("%s of %s is INVALID", t.Repeat(), name)
			return nil, false
		default:
			of = append(of, t)
		}
	}
	switch {
	case len(trials) == 0:
		j.undecided("%s was not measured", name)
	case len(of) == 0:
		j.undecided("each repeat of %s was interrupted", name)
	}
	return of, len(of) > 0
}
