package rank

import (
	"cmp"
	"math"
	"slices"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/stats"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// A field is the targets that were measured with one shape.
type field struct {
	shape   plan.Shape
	runners []runner
}

// A runner is one target with its repeats.
type runner struct {
	target string
	trials []compare.Trial
}

// fields returns the shapes that two targets or more have, in the order of measuring.
func fields(set *compare.Set) (list []field) {
	for _, t := range set.Trials {
		shape := t.Cell.Plan.Shape
		shape.Arrivals = cmp.Or(shape.Arrivals, schedule.Constant)
		i := slices.IndexFunc(list, func(f field) bool { return f.shape == shape })
		if i < 0 {
			i, list = len(list), append(list, field{shape: shape})
		}
		list[i].add(t)
	}
	for _, f := range list {
		for i := range f.runners {
			f.runners[i].trials = results.Whole(f.runners[i].trials, func(t compare.Trial) *results.Cell { return t.Cell })
		}
	}
	return slices.DeleteFunc(list, func(f field) bool { return len(f.runners) < 2 })
}

func (f *field) add(t compare.Trial) {
	target := t.Cell.Plan.Target.Name
	i := slices.IndexFunc(f.runners, func(r runner) bool { return r.target == target })
	if i < 0 {
		i, f.runners = len(f.runners), append(f.runners, runner{target: target})
	}
	f.runners[i].trials = append(f.runners[i].trials, t)
}

func (f field) repeats() (most int) {
	for _, r := range f.runners {
		most = max(most, len(r.trials))
	}
	return most
}

func (f field) asked() []float64 { return f.runners[0].trials[0].Cell.Plan.Settings.Asked() }

// A contest is one percentile of a field.
type contest struct {
	percentile float64
	runners    []runner // with a place, by their geometric means
	unranked   []Unranked
}

func newContest(f field, percentile float64) contest {
	c := contest{percentile: percentile}
	for _, r := range f.runners {
		if reason := r.reason(percentile); reason != "" {
			c.unranked = append(c.unranked, Unranked{r.target, reason})
			continue
		}
		c.runners = append(c.runners, r)
	}
	slices.SortStableFunc(c.runners, func(a, b runner) int { return cmp.Compare(a.mean(percentile), b.mean(percentile)) })
	return c
}

// reason returns why a target has no place, or "". Leaving out its bad repeats would make
// it look better than it is.
func (r runner) reason(percentile float64) string {
	for _, t := range r.trials {
		row := t.At(percentile)
		text := cmp.Or(row.NoValue(), row.TooFew())
		switch {
		case t.Cell.Interrupted:
			text = " was interrupted"
		case t.Cell.Verdict == results.Invalid:
			text = " is INVALID"
		}
		if text != "" {
			return t.Repeat() + text
		}
	}
	return ""
}

// mean returns the geometric mean of the repeats, as a logarithm.
func (r runner) mean(percentile float64) (mean float64) {
	for _, t := range r.trials {
		mean += math.Log(value(t, percentile)) / float64(len(r.trials))
	}
	return mean
}

// value returns a percentile that is known, in nanoseconds.
func value(t compare.Trial, percentile float64) float64 {
	v, _ := t.At(percentile).Value()
	return float64(v)
}

// row returns the places of a contest, without the comparisons.
func (c contest) row() Row {
	row := Row{Percentile: c.percentile, Unranked: c.unranked}
	for _, r := range c.runners {
		row.Places = append(row.Places, r.place(c.percentile))
	}
	return row
}

func (r runner) place(percentile float64) Place {
	p := Place{Target: r.target, Repeats: len(r.trials), NS: int64(math.Round(math.Exp(r.mean(percentile))))}
	var cells []*results.Cell
	for _, t := range r.trials {
		cells = append(cells, t.Cell)
		p.Suspect = p.Suspect || t.Cell.Verdict == results.Suspect
	}
	p.Limits = results.SpreadOf(percentile, cells).Limits
	return p
}

func (c contest) questions() (list []question) {
	for i, first := range c.runners {
		for _, second := range c.runners[i+1:] {
			a, b := inCommon(first, second)
			q := question{
				versus: Versus{First: first.target, Second: second.target},
				sample: stats.LogRatiosOf(c.values(a), c.values(b)),
			}
			if len(a) == 1 {
				x, y := a[0].At(c.percentile), b[0].At(c.percentile)
				q.differ = x.HighNS != nil && y.LowNS != nil && *x.HighNS < *y.LowNS
				q.bounded = x.LowNS != nil && y.LowNS != nil
			}
			list = append(list, q)
		}
	}
	return list
}

// inCommon returns the trials of repeats that both have, in the same order.
func inCommon(first, second runner) (a, b []compare.Trial) {
	for _, t := range first.trials {
		same := func(o compare.Trial) bool { return o.Dir == t.Dir && o.Cell.Plan.Repeat == t.Cell.Plan.Repeat }
		if i := slices.IndexFunc(second.trials, same); i >= 0 {
			a, b = append(a, t), append(b, second.trials[i])
		}
	}
	return a, b
}

func (c contest) values(trials []compare.Trial) (values []float64) {
	for _, t := range trials {
		values = append(values, value(t, c.percentile))
	}
	return values
}
