package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// spreadPercentiles are those whose spread the table shows.
func spreadPercentiles() []float64 { return []float64{50, 99, 99.9, 100} }

// summaries writes, for each cell that was repeated, how much its percentiles
// differ: its name and what became of its ops, and below it a row.
func summaries(d *document.Document, run results.Run, list []*results.Summary) {
	if len(list) == 0 {
		return
	}
	d.Say(fmt.Sprintf("Over %d repeats: median (min–max, variation) of response time in ms; ops and verdict are of all repeats.", run.Plan.Repeat))
	s := document.Table{Head: []string{"cell", "repeats", "ledger", "verdict", "p50", "p99", "p99.9", "max"}, Align: "llllr"}
	for _, each := range list {
		s.Rows = append(s.Rows, append([]string{each.ID, fmt.Sprint(len(each.Cells)), ledger(each.Ledger), verdict(each.Verdict)}, spreads(each)...))
	}
	d.ShowAs(named(s, list, run.Plan.Repeat), s)
}

// named writes the table narrower: the name of each row, and what became of its
// ops, in a line above it.
func named(s document.Table, list []*results.Summary, repeats int) string {
	const before = 4 // the columns that go into the line
	values := document.Table{Head: s.Head[before:], Align: "r"}
	for _, row := range s.Rows {
		values.Rows = append(values.Rows, row[before:])
	}
	lines := strings.Split(values.Text(), "\n")
	var b strings.Builder
	fmt.Fprintln(&b, "  "+lines[0])
	for i, each := range list {
		name := fmt.Sprintf("%s: %s, %s", each.ID, ledger(each.Ledger), verdict(each.Verdict))
		if n := len(each.Cells); n != repeats {
			name += fmt.Sprintf(", %d of %d repeats", n, repeats)
		}
		fmt.Fprintf(&b, "%s\n  %s\n", document.Wrap(name), lines[i+1])
	}
	return b.String()
}

func spreads(s *results.Summary) (fields []string) {
	for _, p := range spreadPercentiles() {
		fields = append(fields, spread(s, p))
	}
	return fields
}

// spread writes how much a percentile differs between repeats, with the marks of
// the rows above. Of the largest value it says the largest that came back.
func spread(s *results.Summary, percentile float64) string {
	row, ok := s.Spread(percentile)
	if s.Ledger.Due == 0 {
		return "-"
	}
	above := "?"
	if percentile == 100 && s.Response.Count > 0 {
		above = "≥" + words.Millis(time.Duration(s.Response.MaxNS))
	}
	if !ok || row.MinNS == nil {
		return above
	}
	median := known(row.MedianNS)
	if !row.Trusted && row.MedianNS != nil {
		median = "~" + median
	}
	switch {
	case row.MaxNS == nil:
		return fmt.Sprintf("%s (%s–%s)", median, known(row.MinNS), above)
	case row.Variation == nil: // of a single repeat
		return median
	}
	return fmt.Sprintf("%s (%s–%s, %.0f %%)", median, known(row.MinNS), known(row.MaxNS), *row.Variation)
}

// known writes a value in ms, or ? for an unknown one.
func known(ns *int64) string {
	if ns == nil {
		return "?"
	}
	return words.Millis(time.Duration(*ns))
}
