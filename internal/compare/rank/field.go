package rank

import (
	"cmp"
	"math"
	"slices"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/plan"
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
	all    results.Distribution // of all repeats together
}

// fields returns the shapes that two targets or more have, in the order of measuring.
func fields(set *compare.Set) (list []field) {
	for _, trials := range group.By(set.Trials, compare.Trial.Shape) {
		f := field{shape: trials[0].Shape()}
		for _, repeats := range group.By(trials, compare.Trial.Target) {
			whole := results.Whole(repeats, func(t compare.Trial) *results.Cell { return t.Cell })
			f.runners = append(f.runners, runner{repeats[0].Target(), whole, compare.Pooled(whole)})
		}
		if len(f.runners) > 1 {
			list = append(list, f)
		}
	}
	return list
}

func (f field) repeats() (most int) {
	for _, r := range f.runners {
		most = max(most, len(r.trials))
	}
	return most
}

// row returns the row of a percentile without its comparisons, and a question about every two of
// its places.
func (f field) row(percentile float64) (row Row, questions []question) {
	row.Percentile = percentile
	var ranked []runner
	for _, r := range f.runners {
		if reason := r.reason(percentile); reason != "" {
			row.Unranked = append(row.Unranked, Unranked{r.target, reason})
		} else {
			ranked = append(ranked, r)
		}
	}
	slices.SortStableFunc(ranked, func(a, b runner) int { return cmp.Compare(a.ns(percentile), b.ns(percentile)) })
	for i, first := range ranked {
		row.Places = append(row.Places, first.place(percentile))
		for _, second := range ranked[i+1:] {
			questions = append(questions, ask(first, second, percentile))
		}
	}
	return row, questions
}

// reason returns why a target has no place, or "". Leaving out its bad repeats would make
// it look better than it is.
func (r runner) reason(percentile float64) string {
	for _, t := range r.trials {
		text := t.At(percentile).NoValue()
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

// ns returns a percentile of all repeats together.
func (r runner) ns(percentile float64) int64 {
	row, _ := r.all.At(percentile)
	v, _ := row.Value()
	return int64(v)
}

// value returns a percentile that is known, in nanoseconds.
func value(t compare.Trial, percentile float64) float64 {
	v, _ := t.At(percentile).Value()
	return float64(v)
}

func (r runner) place(percentile float64) Place {
	row, _ := r.all.At(percentile)
	suspect := slices.ContainsFunc(r.trials, func(t compare.Trial) bool { return t.Cell.Verdict == results.Suspect })
	return Place{Target: r.target, Repeats: len(r.trials), NS: r.ns(percentile), Limits: row.Limits(), Suspect: suspect}
}

// ask returns the question about two targets.
func ask(first, second runner, percentile float64) question {
	q := question{versus: Versus{First: first.target, Second: second.target}}
	a, b := inCommon(first, second)
	for i := range a {
		q.sample = append(q.sample, math.Log(value(b[i], percentile)/value(a[i], percentile)))
	}
	if len(a) == 1 {
		x, y := a[0].At(percentile), b[0].At(percentile)
		q.differ = x.HighNS != nil && y.LowNS != nil && *x.HighNS < *y.LowNS
		q.bounded = x.LowNS != nil && y.LowNS != nil
	}
	return q
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
