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
	d.Say(fmt.Sprintf("Over %d repeats: geometric mean of response time in ms (its 95 %% interval, by how repeats differ), and the longest of all; ledger and verdict cover all repeats.", run.Plan.Repeat))
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

// spread writes a percentile over repeats with the marks of the rows above: the
// geometric mean and its interval. The maximum is the longest of all replies.
func spread(s *results.Summary, percentile float64) string {
	row, ok := s.Spread(percentile)
	switch {
	case s.Ledger.Due == 0:
		return "-"
	case percentile == 100:
		return maximum(s.Response.MaxNS, s.Response.Count, s.Response.Missing)
	case !ok || row.GeoMeanNS == nil:
		return "?"
	}
	text := millis(row.GeoMeanNS)
	if !row.Trusted || len(row.Limits) > 0 {
		text = "~" + text
	}
	switch {
	case row.LowNS == nil: // of a single repeat
		return text
	case tooWide(*row.LowNS, *row.HighNS):
		return text + " (" + nothing + ")"
	}
	return fmt.Sprintf("%s (%s–%s)", text, millis(row.LowNS), millis(row.HighNS))
}

// tooWide reports whether an interval says nothing of a value: neither that it is a tenth
// of the mean nor ten times as much is excluded.
func tooWide(low, high int64) bool { return high/saysNothing/saysNothing >= low }
