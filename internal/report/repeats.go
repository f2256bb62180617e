package report

import (
	"fmt"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/results"
)

// repeats shows how much the percentiles of repeats differ: the name and the ledger of each
// cell, and a row below it.
func repeats(d *document.Document, run results.Run, list []*results.Summary) {
	if len(list) == 0 {
		return
	}
	d.Say(fmt.Sprintf("Over %d repeats: geometric mean of response time in ms (its 95 %% interval, by how repeats differ), and the longest of all; ledger and verdict cover all repeats.", run.Plan.Repeat))
	spreads := []string{"p50", "p99", "p99.9", "max"}
	t := document.Table{Head: append([]string{"cell", "repeats", "ledger", "verdict"}, spreads...), Align: "llllr"}
	var groups []document.Group
	for _, s := range list {
		row := []string{spread(s, 50), spread(s, 99), spread(s, 99.9), spread(s, 100)}
		t.Rows = append(t.Rows, append([]string{s.ID, fmt.Sprint(len(s.Cells)), format.Ledger(s.Ledger), format.Verdict(s.Verdict)}, row...))
		title := fmt.Sprintf("%s: %s, %s", s.ID, format.Ledger(s.Ledger), format.Verdict(s.Verdict))
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

// pausesOf says in how many repeats the target paused.
func pausesOf(s *results.Summary) string {
	p := s.Pauses
	text := fmt.Sprintf("%s: %s of %s ms or more, in %d of %d repeats", s.ID, words.Plural(int(p.Count), "pause"), format.Millis(&p.LeastNS), p.In, p.Of)
	if p.AtMostPerS > 0 {
		text += fmt.Sprintf("; at most one in %.1f s on average (95 %%)", 1/p.AtMostPerS)
	}
	return text
}

// spread writes a percentile over repeats with the marks of the rows above: the
// geometric mean and its interval. The maximum is the longest of all replies.
func spread(s *results.Summary, percentile float64) string {
	row, ok := s.Spread(percentile)
	switch {
	case s.Ledger.Due == 0:
		return "-"
	case percentile == 100:
		return format.Maximum(s.Response.MaxNS, s.Response.Count, s.Response.Missing)
	case !ok || row.GeoMeanNS == nil:
		return "?"
	}
	text := format.Millis(row.GeoMeanNS)
	if !row.Trusted || len(row.Limits) > 0 {
		text = "~" + text
	}
	switch {
	case row.LowNS == nil: // of a single repeat
		return text
	case format.TooWide(*row.LowNS, *row.HighNS):
		return text + " (" + format.Nothing + ")"
	}
	return fmt.Sprintf("%s (%s–%s)", text, format.Millis(row.LowNS), format.Millis(row.HighNS))
}
