package compare

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/brokerbench/brokerbench/internal/confidence"
	"github.com/brokerbench/brokerbench/results"
)

// A doubt says why one of several repeats cannot be compared, or "".
type doubt func(t Trial, row results.Percentile, repeats int) string

// reason returns the gravest reason why a percentile of a couple cannot be
// compared, or "". The gravest doubt comes first.
func (c couple) reason(percentile float64, doubts ...doubt) string {
	for _, d := range doubts {
		if text := cmp.Or(c.base.first("BASE", percentile, d), c.next.first("NEW", percentile, d)); text != "" {
			return text
		}
	}
	return ""
}

// first returns the doubt about the first repeat that has one.
func (g group) first(side string, percentile float64, d doubt) string {
	for _, t := range g.trials {
		row, _ := t.Cell.Response.At(percentile)
		if text := d(t, row, len(g.trials)); text != "" {
			return g.which(side, t) + text
		}
	}
	return ""
}

// which names one repeat.
func (g group) which(side string, t Trial) string {
	name := fmt.Sprintf("%s r%d", side, max(t.Cell.Plan.Repeat, 1))
	if t.Dir != g.trials[0].Dir || t.Dir != g.trials[len(g.trials)-1].Dir {
		name += " of " + t.Dir
	}
	return name
}

func invalid(t Trial, _ results.Percentile, _ int) string {
	if t.Cell.Verdict == results.Invalid {
		return " is INVALID"
	}
	return ""
}

func unknown(_ Trial, row results.Percentile, _ int) string { return row.NoValue() }

func few(_ Trial, row results.Percentile, _ int) string { return row.TooFew() }

// tooFew says why the percentile of a run has too few messages or events above it.
func (g group) tooFew(number int, percentile float64) string {
	t := g.trials[number]
	row, _ := t.Cell.Response.At(percentile)
	return strings.TrimPrefix(few(t, row, len(g.trials)), ": ")
}

// unbounded returns why a single run has no interval. The maximum needs none.
func unbounded(t Trial, row results.Percentile, repeats int) string {
	switch {
	case row.Percentile == 100 || repeats > 1:
		return ""
	case t.Series == nil:
		return ": no complete interval log, and no repeats"
	}
	if _, ok := t.Series.Interval(50, 0); !ok {
		return fmt.Sprintf(": fewer than %d intervals, and no repeats", confidence.MinIntervals)
	}
	return ""
}
