package report

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/brokerbench/brokerbench/results"
)

// spreadPercentiles are those whose spread the table shows.
func spreadPercentiles() []float64 { return []float64{50, 99, 99.9, 100} }

// summaries writes, for each cell that was repeated, how much its percentiles
// differ: its name and what became of its ops, and below it a row.
func summaries(b *bytes.Buffer, run results.Run, list []*results.Summary) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "Over %d repeats: median (min–max, variation) of response time in ms; ops and verdict are of all repeats.\n", run.Plan.Repeat)
	rows := [][]string{{"p50", "p99", "p99.9", "max"}}
	for _, s := range list {
		rows = append(rows, spreads(s))
	}
	widths := columns(rows)
	fmt.Fprintln(b, aligned(rows[0], widths))
	for i, s := range list {
		name := fmt.Sprintf("%s: %s,%s", s.ID, ledger(s.Ledger), verdict(s.Verdict))
		if n := len(s.Cells); n != run.Plan.Repeat {
			name += fmt.Sprintf(", %d of %d repeats", n, run.Plan.Repeat)
		}
		fmt.Fprintln(b, wrap(name))
		fmt.Fprintln(b, aligned(rows[i+1], widths))
	}
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
		above = "≥" + Millis(time.Duration(s.Response.MaxNS))
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
	return Millis(time.Duration(*ns))
}

// columns returns the width of each column.
func columns(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, field := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(field))
		}
	}
	return widths
}

// aligned writes a row with its fields at the right of their columns.
func aligned(row []string, widths []int) string {
	var b strings.Builder
	for i, field := range row {
		b.WriteString("  " + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(field)) + field)
	}
	return b.String()
}
