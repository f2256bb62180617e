package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/answer"
	"github.com/brokerbench/brokerbench/internal/compare/ab"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// AB shows how B differs from A: in which options, then for each cell and percentile the ratio, its
// interval and the answer; and the durability of the targets in a and b, the cells of both sides.
// As JSON it is the [ab.Result].
func AB(r *ab.Result, a, b []*results.Cell) *document.Document {
	var d document.Document
	d.Say("A and B differ in " + r.Difference())
	var groups []document.Group
	for _, c := range r.Cells {
		load := loadOf(c.A, a)
		if other := loadOf(c.B, b); other != load {
			load += " → " + other
		}
		group := document.Group{Title: fmt.Sprintf("%s, %s", load, words.Plural(c.Pairs, "pair")), Name: load}
		for _, row := range c.Rows {
			group.Rows = append(group.Rows, abRow(row, c.Pairs))
		}
		groups = append(groups, group)
	}
	d.ShowGroups("cell", document.Table{
		Head: []string{"", "A ms", "B ms", "B/A", "95 %", "answer"}, Align: "lrrrrl", Bold: []string{string(ab.Slower), string(ab.Faster)},
	}, groups)
	d.Note(abNotes(r)...)
	durability(&d, append(backings("A ", a), backings("B ", b)...))
	d.Note("A "+r.A.Dir+": "+r.A.Run, "B "+r.B.Dir+": "+r.B.Run)
	d.Exact(abTable(r), r)
	return &d
}

// loadOf names the load of a cell by its ID, which stands for it if the cell is not among cells.
func loadOf(id string, cells []*results.Cell) string {
	i := slices.IndexFunc(cells, func(c *results.Cell) bool { return c.Plan.SharedID() == id })
	if i < 0 {
		return id
	}
	common, _ := answer.Titles([]plan.Shape{cells[i].Plan.Shape})
	return common
}

// abRow says of a difference that is not shown how large one would be, and how many pairs show 10 %.
func abRow(row ab.Row, pairs int) []string {
	answer := string(row.Answer)
	switch {
	case row.Reason != "":
		answer += ": " + row.Reason
	case row.Answer == ab.NoDifference && row.Least != nil:
		answer += fmt.Sprintf("; %s would be", format.Percentage(*row.Least))
		if row.Pairs10 > pairs {
			answer += fmt.Sprintf(", 10 %% → --pairs %d", row.Pairs10)
		}
	}
	return []string{words.Percentile(row.Percentile), format.Millis(row.ANS), format.Millis(row.BNS), format.Times(row.Ratio), format.RatioInterval(row.Ratio), answer}
}

func abNotes(r *ab.Result) (lines []string) {
	if r.Judged > 0 {
		lines = append(lines, fmt.Sprintf("if nothing differs, every row says so with %g %% confidence (%d judged together); ms are of all runs of a side", 100*r.Confidence, r.Judged))
	} else {
		lines = append(lines, "nothing can be judged: it takes two complete pairs")
	}
	var odd []string
	aside := 0
	for _, c := range r.Cells {
		for _, row := range c.Rows {
			aside = max(aside, row.Ratio.Aside)
			for _, o := range row.Odd {
				odd = append(odd, fmt.Sprintf("pair %d at %s (×%s)", o.Pair, words.Percentile(row.Percentile), format.Factor(o.Ratio)))
			}
		}
	}
	if aside > 0 {
		lines = append(lines, fmt.Sprintf("%d pairs of each row are set aside, with the highest and the lowest ratios", aside))
	}
	if len(odd) > 0 {
		lines = append(lines, "far from the others, and set aside: "+strings.Join(odd, ", "))
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
