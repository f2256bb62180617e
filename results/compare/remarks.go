package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/words"
)

// answered counts the answers: "1 slower, 3 no difference shown".
func (c *Comparison) answered() string {
	counts := make(map[Answer]int)
	for _, p := range c.Pairs {
		for _, r := range p.Rows {
			if r.Percentile < 100 {
				counts[r.Answer]++
			}
		}
	}
	var parts []string
	for _, a := range []Answer{Slower, Faster, NoDifference, NotComparable} {
		if counts[a] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[a], a))
		}
	}
	return strings.Join(parts, ", ")
}

// meaning says what answers are worth.
func (c *Comparison) meaning() string {
	if c.Judged == 0 {
		return "Response times are those of the median run. No percentile can be judged."
	}
	return fmt.Sprintf("Response times are those of the median run, NEW/BASE is the ratio of the runs' geometric means. If nothing changed, "+
		"all of the %s judged say %q with %g %% confidence; the maximum has no interval and is not judged.",
		words.Plural(c.Judged, "percentile"), NoDifference, 100*c.Confidence)
}

// remarks are the lines below the rows.
func (c *Comparison) remarks() (lines []string) {
	lines = append(lines, c.marks()...)
	for _, u := range c.Unpaired {
		lines = append(lines, fmt.Sprintf("only in %s: %s", u.Side, u.ID))
	}
	for _, d := range c.Unequal {
		lines = append(lines, "UNEQUAL, compared by force: "+d.String())
	}
	for _, o := range c.FailOn {
		lines = append(lines, o.lines()...)
	}
	return lines
}

// marks explains what the rows have, and no more.
func (c *Comparison) marks() (lines []string) {
	explain := func(is func(Pair) bool, text string) {
		if slices.ContainsFunc(c.Pairs, is) {
			lines = append(lines, text)
		}
	}
	missing := func(p Pair) bool { return p.Base.Ledger.Missing()+p.New.Ledger.Missing() > 0 }
	explain(missing, "ops: done + F failed + L lost + U unsent = due, of all runs; they rank above every response (≥, ?)")
	explain(func(p Pair) bool { return p.Method == OneASide },
		"note: one run a side tells whether these runs differ, not whether what was measured does: that takes repeats (run --repeat 5)")
	explain(func(p Pair) bool { return p.Method == OneAgainst },
		"note: one run against repeats: it is taken to vary as the repeats do")
	return lines
}

// lines says what became of a condition.
func (o Outcome) lines() (lines []string) {
	for _, part := range []struct {
		text  string
		cells []string
	}{{"FAILED", o.Failed}, {"INCONCLUSIVE", o.Inconclusive}, {"not shown, but not excluded either", o.NotExcluded}} {
		if len(part.cells) > 0 {
			lines = append(lines, fmt.Sprintf("fail on %s: %s: %s", o.Condition, part.text, strings.Join(part.cells, ", ")))
		}
	}
	if lines == nil {
		lines = []string{fmt.Sprintf("fail on %s: not met", o.Condition)}
	}
	return lines
}

// String names a result set and when it was measured.
func (o Origin) String() string {
	if o.Started.IsZero() {
		return o.Dir
	}
	return fmt.Sprintf("%s (%s)", o.Dir, o.Started.Format("2006-01-02 15:04"))
}
