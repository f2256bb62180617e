package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/compare/ab"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/results"
)

// AB shows for each cell and percentile how B differs from A, and the durability of the targets
// in a and b, the cells of both sides. As JSON it is the [ab.Result].
func AB(r *ab.Result, a, b []*results.Cell) *document.Document {
	var d document.Document
	d.Say("A " + r.A.Run + ": " + r.A.Dir)
	d.Say("B " + r.B.Run + ": " + r.B.Dir)
	head := []string{"", "A ms", "B ms", "B/A", "interval", "would show", "answer"}
	var groups []document.Group
	for _, c := range r.Cells {
		name := c.A
		if c.B != c.A {
			name += " → " + c.B
		}
		group := document.Group{Title: fmt.Sprintf("%s: %s", name, words.Plural(c.Pairs, "pair")), Name: name}
		for _, row := range c.Rows {
			group.Rows = append(group.Rows, abRow(row))
		}
		groups = append(groups, group)
	}
	d.ShowGroups("cell", document.Table{Head: head, Align: "lrrrrrl", Bold: []string{string(ab.Slower), string(ab.Faster)}}, groups)
	d.Note(abNotes(r)...)
	durability(&d, append(backings("A ", a), backings("B ", b)...))
	d.Exact(abTable(r), r)
	return &d
}

func abRow(row ab.Row) []string {
	least, answer := "-", string(row.Answer)
	if row.Least != nil {
		least = format.Percentage(*row.Least)
	}
	if row.Reason != "" {
		answer += ": " + row.Reason
	}
	return []string{words.Percentile(row.Percentile), format.Millis(row.ANS), format.Millis(row.BNS), format.Times(row.Ratio), format.RatioInterval(row.Ratio), least, answer}
}

func abNotes(r *ab.Result) (lines []string) {
	if r.Judged > 0 {
		lines = append(lines, fmt.Sprintf("ms are those of all runs of a side together, B/A is the mean ratio of the pairs. If nothing differs, every row says %q with %g %% confidence (%d judged together). "+
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
				odd = append(odd, fmt.Sprintf("pair %d at p%s of %s (×%s)", o.Pair, format.Number(row.Percentile), c.A, format.Factor(o.Ratio)))
			}
			if row.Pairs10 > c.Pairs {
				needs = append(needs, fmt.Sprintf("%d at p%s of %s", row.Pairs10, format.Number(row.Percentile), c.A))
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
		lines = append(lines, fmt.Sprintf("every interval is within ±%s, after %v", format.Percentage(*r.Until), took))
	default:
		lines = append(lines, fmt.Sprintf("NOT NARROW: not every interval is within ±%s, after %v of at most %v", format.Percentage(*r.Until), took, time.Duration(r.AtMostNS)))
	}
	return lines
}

func abTable(r *ab.Result) document.Table {
	type row struct {
		Of   *ab.Result
		Cell ab.Cell
		ab.Row
	}
	var rows []row
	for _, c := range r.Cells {
		for _, one := range c.Rows {
			rows = append(rows, row{r, c, one})
		}
	}
	return document.Records(rows, "a=Of/A/Dir b=Of/B/Dir a_cell=Cell/A b_cell=Cell/B percentile=Percentile a_ns=ANS b_ns=BNS", format.RatioColumns,
		"answer=Answer reason=Reason least=Least pairs_for_10_percent=Pairs10?")
}
