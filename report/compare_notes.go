package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results/compare"
)

// answered counts the answers: "1 slower, 3 no difference shown".
func answered(c *compare.Comparison) string {
	counts := make(map[compare.Answer]int)
	for _, p := range c.Pairs {
		for _, r := range p.Rows {
			if r.Percentile < 100 {
				counts[r.Answer]++
			}
		}
	}
	return tally(counts, compare.Slower, compare.Faster, compare.NoDifference, compare.NotComparable)
}

// meaning says how sure the answers are.
func meaning(c *compare.Comparison) string {
	if c.Judged == 0 {
		return "Response times are those of the median run. No percentile can be judged."
	}
	return fmt.Sprintf("Response times are those of the median run; NEW/BASE is the ratio of the runs' geometric means. If nothing changed, "+
		"all %s judged say %q with %g %% confidence. The maximum has no interval and is not judged.",
		words.Plural(c.Judged, "percentile"), compare.NoDifference, 100*c.Confidence)
}

// remarks are the lines below the rows.
func remarks(c *compare.Comparison) (lines []string) {
	explain := func(is func(compare.Pair) bool, text string) {
		if slices.ContainsFunc(c.Pairs, is) {
			lines = append(lines, text)
		}
	}
	explain(func(p compare.Pair) bool { return p.Base.Ledger.Missing()+p.New.Ledger.Missing() > 0 },
		"messages: done + F failed + L lost + U unsent = due, in all runs; missing ones rank above every response (≥, ?)")
	explain(func(p compare.Pair) bool { return p.Method == compare.OneASide },
		"note: with one run on each side, the answers say that these two runs differ, not that the systems do; only repeats show that (run --repeat 5)")
	explain(func(p compare.Pair) bool { return p.Method == compare.OneAgainst },
		"note: one run against repeats: it is assumed to vary as much as the repeats do")
	for _, u := range c.Unpaired {
		lines = append(lines, fmt.Sprintf("only in %s: %s", u.Side, u.ID))
	}
	for _, d := range c.Unequal {
		lines = append(lines, "UNEQUAL, compared by force: "+d.String())
	}
	for _, o := range c.FailOn {
		lines = append(lines, conditionLines(o)...)
	}
	return lines
}

// conditionLines says which pairs meet a condition of --fail-on.
func conditionLines(o compare.Outcome) (lines []string) {
	for _, part := range []struct {
		text  string
		cells []string
	}{{"FAILED", o.Failed}, {"INCONCLUSIVE", o.Inconclusive}, {"not shown, but not ruled out", o.NotExcluded}} {
		if len(part.cells) > 0 {
			lines = append(lines, fmt.Sprintf("fail on %s: %s: %s", o.Condition, part.text, strings.Join(part.cells, ", ")))
		}
	}
	if lines == nil {
		lines = []string{fmt.Sprintf("fail on %s: not met", o.Condition)}
	}
	return lines
}

// differences lists what differs in settings and environment: in text a line for
// each place, in Markdown a list that is folded away.
func differences(d *document.Document, list []compare.Difference) {
	if len(list) == 0 {
		return
	}
	var lines []string
	where, items := "", ""
	for _, each := range list {
		items += "- " + document.Escape(each.String()) + "\n"
		text := fmt.Sprintf("%s %s against %s", each.Name, each.Base, each.New)
		if each.Where == where {
			lines[len(lines)-1] += "; " + text
			continue
		}
		where = each.Where
		lines = append(lines, fmt.Sprintf("differs, %s: %s", where, text))
	}
	for _, line := range lines {
		d.Add(document.Wrap(line)+"\n", "")
	}
	d.Add("", fmt.Sprintf("<details><summary>What differs in settings and environment: %d</summary>\n\n%s\n</details>\n", len(list), items))
}

// origin names a result set and when it was measured.
func origin(o compare.Origin) string {
	if o.Started.IsZero() {
		return o.Dir
	}
	return fmt.Sprintf("%s (%s)", o.Dir, o.Started.Format("2006-01-02 15:04"))
}
