package compare

import (
	"cmp"
	"fmt"

	"github.com/brokerbench/brokerbench/internal/confidence"
	"github.com/brokerbench/brokerbench/results"
)

// A doubt says why one of several repeats cannot be compared, or "".
type doubt func(t Trial, row results.Percentile, repeats int) string

// reason returns the gravest reason why a percentile of a couple cannot be
// compared, or "". The gravest doubt comes first.
func (c couple) reason(percentile float64, doubts ...doubt) string {
	for _, d := range doubts {
		if text := cmp.Or(c.base.first(percentile, d), c.next.first(percentile, d)); text != "" {
			return text
		}
	}
	return ""
}

// unjudged returns why a percentile of a couple cannot be judged, or "".
func (c couple) unjudged(percentile float64) string {
	return cmp.Or(c.reason(percentile, invalid, unknown, unbounded), c.base.tooFew(percentile), c.next.tooFew(percentile), c.reason(percentile, rare))
}

// tooFew returns why all repeats together are too few messages for a percentile, or "".
func (g group) tooFew(percentile float64) string {
	if text := g.at(percentile).TooFew(); text != "" {
		return g.side + text
	}
	return ""
}

// first returns the doubt about the first repeat that has one.
func (g group) first(percentile float64, d doubt) string {
	for _, t := range g.trials {
		if text := d(t, t.At(percentile), len(g.trials)); text != "" {
			return g.which(t) + text
		}
	}
	return ""
}

// which names one repeat.
func (g group) which(t Trial) string {
	name := g.side + " " + t.Repeat()
	if t.Dir != g.trials[0].Dir || t.Dir != g.trials[len(g.trials)-1].Dir {
		name += " of " + t.Dir
	}
	return name
}

func invalid(t Trial, _ results.Percentile, _ int) string {
	switch {
	case t.Cell.Verdict == results.Invalid:
		return " is INVALID"
	case t.Cell.Interrupted:
		return " was interrupted"
	}
	return ""
}

func unknown(_ Trial, row results.Percentile, _ int) string { return row.NoValue() }

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

// rare returns why two runs cannot show how a percentile varies: by chance both can miss a pause that
// both of the other side have, or have it. Docs/simulations/compare.md has the false alarms.
func rare(_ Trial, row results.Percentile, repeats int) string {
	if repeats != 2 || row.Trusted || row.Percentile == 100 || row.Events >= confidence.MinEvents {
		return ""
	}
	return ": few independent events above it, which takes three runs"
}
