package report

import (
	"fmt"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// repeats shows, for each cell that was repeated, how much its percentiles differ:
// the cell's name and what became of its messages, and a row below it.
func repeats(d *document.Document, run results.Run, list []*results.Summary) {
	if len(list) == 0 {
		return
	}
	d.Say(fmt.Sprintf("Over %d repeats: median (min–max, variation) of response time in ms; ledger and verdict cover all repeats.", run.Plan.Repeat))
	spreads := []string{"p50", "p99", "p99.9", "max"}
	t := document.Table{Head: append([]string{"cell", "repeats", "ledger", "verdict"}, spreads...), Align: "llllr"}
	var groups []document.Group
	for _, s := range list {
		row := []string{spread(s, 50), spread(s, 99), spread(s, 99.9), spread(s, 100)}
		t.Rows = append(t.Rows, append([]string{s.ID, fmt.Sprint(len(s.Cells)), ledger(s.Ledger), verdict(s.Verdict)}, row...))
		title := fmt.Sprintf("%s: %s, %s", s.ID, ledger(s.Ledger), verdict(s.Verdict))
		if n := len(s.Cells); n != run.Plan.Repeat {
			title += fmt.Sprintf(", %d of %d repeats", n, run.Plan.Repeat)
		}
		groups = append(groups, document.Group{Title: title, Rows: [][]string{row}})
	}
	d.ShowAs(document.Table{Head: spreads, Align: "r"}.Grouped(groups), t)
	for _, s := range list {
		if s.Pauses != nil && s.Pauses.Count > 0 {
			d.Note(pausesOf(s))
		}
	}
}

// pausesOf says in how many repeats the target stood still.
func pausesOf(s *results.Summary) string {
	p := s.Pauses
	text := fmt.Sprintf("%s: %s of %s ms or more, in %d of %d repeats", s.ID, words.Plural(int(p.Count), "pause"), millis(&p.LeastNS), p.In, p.Of)
	if p.AtMostPerS > 0 {
		text += fmt.Sprintf("; at most one in %.1f s on average (95 %%)", 1/p.AtMostPerS)
	}
	return text
}

// spread writes how much a percentile differs between repeats, with the marks of
// the rows above. The maximum is that of the replies received.
func spread(s *results.Summary, percentile float64) string {
	row, ok := s.Spread(percentile)
	if s.Ledger.Due == 0 {
		return "-"
	}
	above := "?"
	if percentile == 100 {
		above = maximum(s.Response.MaxNS, s.Response.Count, s.Response.Missing)
	}
	if !ok || row.MinNS == nil {
		return above
	}
	median := millis(row.MedianNS)
	if !row.Trusted && row.MedianNS != nil {
		median = "~" + median
	}
	switch {
	case row.MaxNS == nil:
		return fmt.Sprintf("%s (%s–%s)", median, millis(row.MinNS), above)
	case row.Variation == nil: // of a single repeat
		return median
	}
	return fmt.Sprintf("%s (%s–%s, %.0f %%)", median, millis(row.MinNS), millis(row.MaxNS), *row.Variation)
}
