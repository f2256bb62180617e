package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
	"github.com/brokerbench/brokerbench/results/compare"
)

// Compare shows what became faster or slower in each comparison. Markdown is for
// the comment of a pull request: the answers first, settings and environment folded
// away. As JSON it is {"comparisons": […]}.
func Compare(list []*compare.Comparison) *document.Document {
	var d document.Document
	for i, c := range list {
		if i > 0 {
			d.Add("\n", "")
		}
		comparison(&d, c)
	}
	d.Exact(compareTable(list), struct {
		Comparisons []*compare.Comparison `json:"comparisons"`
	}{list})
	return &d
}

func comparison(d *document.Document, c *compare.Comparison) {
	answers, meaning, base, next := answered(c), meaning(c), origin(c.Base), origin(c.New)
	d.Add("", "### Latency: "+answers+"\n")
	d.Add("BASE "+base+"\nNEW  "+next+"\n", "BASE "+document.Escape(base)+"  \nNEW "+document.Escape(next)+"\n")
	d.Add(document.Wrap(meaning)+"\n", "")
	pairs(d, c)
	d.Add("answers: "+answers+"\n", document.Escape(meaning)+"\n")
	for _, line := range remarks(c) {
		d.Say(line)
	}
	differences(d, c.Differences)
}

// pairs shows the rows of all pairs, those of each pair below its name.
func pairs(d *document.Document, c *compare.Comparison) {
	head := []string{"", "BASE ms", "NEW ms", "NEW/BASE", "interval", "answer"}
	all := document.Table{
		Head: append([]string{"cell"}, head...), Align: "llrrrrl", Bold: []string{string(compare.Slower), string(compare.Faster)},
	}
	var groups []document.Group
	for _, p := range c.Pairs {
		name := p.Base.ID
		if p.New.ID != name {
			name += " → " + p.New.ID
		}
		runs := fmt.Sprintf("%s against %d", words.Plural(len(p.Base.IDs), "run"), len(p.New.IDs))
		group := document.Group{Title: name + ": " + runs, Rows: pairRows(p)}
		for i, row := range group.Rows {
			cell := ""
			if i == 0 {
				cell = fmt.Sprintf("%s (%s)", name, runs)
			}
			all.Rows = append(all.Rows, append([]string{cell}, row...))
		}
		groups = append(groups, group)
	}
	d.ShowAs(document.Table{Head: head, Align: "rrrrrl"}.Grouped(groups), all)
}

// pairRows returns the percentiles of a pair, the maximum, and what became of the
// messages.
func pairRows(p compare.Pair) (rows [][]string) {
	for _, r := range p.Rows {
		name, base, next := "p"+number(r.Percentile), millis(r.BaseNS), millis(r.NewNS)
		if r.Percentile == 100 {
			name, base, next = "max", longest(p.Base), longest(p.New)
		}
		ratio, answer := "-", string(r.Answer)
		if r.Ratio != nil {
			ratio = factor(*r.Ratio)
		}
		if r.Reason != "" {
			answer += ": " + r.Reason
		}
		rows = append(rows, []string{name, base, next, ratio, interval(r), answer})
	}
	return append(rows, []string{"messages", ledger(p.Base.Ledger), ledger(p.New.Ledger), "", "", doubt(p)})
}

func longest(c compare.Cells) string { return maximum(c.MaxNS, c.Ledger.Done, c.Ledger.Missing()) }

// interval writes the bounds of the ratio. An unknown lower bound is 0, as a ratio
// is not below.
func interval(r compare.Row) string {
	if r.Level == 0 {
		return "-"
	}
	low, high := "0", "∞"
	if r.Low != nil {
		low = factor(*r.Low)
	}
	if r.High != nil {
		high = factor(*r.High)
	}
	return low + "–" + high
}

// factor writes a ratio with four digits.
func factor(v float64) string {
	switch {
	case v < 10:
		return strconv.FormatFloat(v, 'f', 3, 64)
	case v < 100:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// doubt names the verdicts that are not good.
func doubt(p compare.Pair) string {
	var sides []string
	for _, side := range []struct {
		name    string
		verdict results.Verdict
	}{{"BASE", p.Base.Verdict}, {"NEW", p.New.Verdict}} {
		if side.verdict != results.Valid {
			sides = append(sides, side.name+" is "+verdict(side.verdict))
		}
	}
	return strings.Join(sides, ", ")
}
