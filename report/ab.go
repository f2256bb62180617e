package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
	"github.com/brokerbench/brokerbench/results/ab"
)

// AB shows for each cell and percentile how B differs from A, and what the targets of both
// sides promise: those cells are a and b. As JSON it is the [ab.Result].
func AB(r *ab.Result, a, b []*results.Cell) *document.Document {
	var d document.Document
	d.Say("A " + r.A.Run + ": " + r.A.Dir)
	d.Say("B " + r.B.Run + ": " + r.B.Dir)
	head := []string{"", "A ms", "B ms", "B/A", "interval", "would show", "answer"}
	all := document.Table{Head: append([]string{"cell"}, head...), Align: "llrrrrrl", Bold: []string{string(ab.Slower), string(ab.Faster)}}
	var groups []document.Group
	for _, c := range r.Cells {
		name := c.A
		if c.B != c.A {
			name += " → " + c.B
		}
		group := document.Group{Title: fmt.Sprintf("%s: %s", name, words.Plural(c.Pairs, "pair"))}
		for _, row := range c.Rows {
			fields := abRow(row)
			group.Rows = append(group.Rows, fields)
			all.Rows = append(all.Rows, append([]string{name}, fields...))
		}
		groups = append(groups, group)
	}
	d.ShowAs(document.Table{Head: head, Align: "lrrrrrl"}.Grouped(groups), all)
	for _, line := range abNotes(r) {
		d.Note(line)
	}
	durability(&d, append(backings("A ", a), backings("B ", b)...))
	d.Exact(abTable(r), r)
	return &d
}

func abRow(row ab.Row) []string {
	least, answer := "-", string(row.Answer)
	if row.Least != nil {
		least = percentage(*row.Least)
	}
	if row.Reason != "" {
		answer += ": " + row.Reason
	}
	return []string{words.Percentile(row.Percentile), millis(row.ANS), millis(row.BNS), times(row.Ratio), ratioInterval(row.Ratio), least, answer}
}

// percentage writes a part of 1 with three digits, or without decimals.
func percentage(part float64) string {
	if part >= 1 {
		return fmt.Sprintf("%.0f %%", 100*part)
	}
	return fmt.Sprintf("%.3g %%", 100*part)
}

func abNotes(r *ab.Result) (lines []string) {
	if r.Judged > 0 {
		lines = append(lines, fmt.Sprintf("ms are geometric means, B/A is their ratio. If nothing differs, every row says %q with %g %% confidence (%d judged together). "+
			"\"would show\" is the smallest difference that would have been shown.", ab.NoDifference, 100*r.Confidence, r.Judged))
	} else {
		lines = append(lines, "Nothing can be judged: it takes two complete pairs.")
	}
	var needs, odd []string
	aside := 0
	for _, c := range r.Cells {
		for _, row := range c.Rows {
			aside = max(aside, row.Ratio.Aside)
			for _, o := range row.Odd {
				odd = append(odd, fmt.Sprintf("pair %d at p%s of %s (×%s)", o.Pair, number(row.Percentile), c.A, factor(o.Ratio)))
			}
			if row.Pairs10 > c.Pairs {
				needs = append(needs, fmt.Sprintf("%d at p%s of %s", row.Pairs10, number(row.Percentile), c.A))
			}
		}
	}
	if aside > 0 {
		lines = append(lines, fmt.Sprintf("the highest and the lowest ratios are set aside, %d pairs of each row, so that one odd pair does not hide the others", aside))
	}
	if len(odd) > 0 {
		lines = append(lines, "ODD, and set aside: "+strings.Join(odd, ", "))
	}
	if len(needs) > 0 {
		lines = append(lines, "to show 10 % takes about so many pairs: "+strings.Join(needs, ", "))
	}
	took := time.Duration(r.TookNS).Round(time.Second)
	switch {
	case r.Until == nil:
	case r.Narrow:
		lines = append(lines, fmt.Sprintf("every interval is within ±%s, after %v", percentage(*r.Until), took))
	default:
		lines = append(lines, fmt.Sprintf("NOT NARROW: not every interval is within ±%s, after %v of at most %v", percentage(*r.Until), took, time.Duration(r.AtMostNS)))
	}
	return lines
}

// abTable has a row for each percentile of each cell.
func abTable(r *ab.Result) document.Table {
	t := document.Table{Head: []string{
		"a", "b", "a_cell", "b_cell", "percentile", "a_ns", "b_ns", "pairs", "aside", "ratio", "low", "high", "level", "answer", "reason", "least", "pairs_for_10_percent",
	}}
	for _, c := range r.Cells {
		for _, row := range c.Rows {
			fields := []string{r.A.Dir, r.B.Dir, c.A, c.B, number(row.Percentile), known(row.ANS, integer), known(row.BNS, integer)}
			fields = append(fields, judgedFields(row.Ratio)...)
			t.Rows = append(t.Rows, append(fields, string(row.Answer), row.Reason, known(row.Least, number), positive(row.Pairs10)))
		}
	}
	return t
}
