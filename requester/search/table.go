package search

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/brokerbench/brokerbench/results/report"
)

// Table writes a row for each target and objective, strict objectives beside
// lenient ones: which rate each allows, what was measured there and a step above,
// and below the table what there is to say about a row.
func Table(w io.Writer, cfg Config, list []Result) error {
	fmt.Fprintf(w, "The highest rate that keeps each SLO, to %v %%, what was measured there, and at the lowest rate that does not keep it.\n",
		percent(cfg.withDefaults().Precision))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(header(), "\t"))
	for _, r := range list {
		for _, row := range r.Rows {
			fmt.Fprintln(t, strings.Join(fields(r, row), "\t"))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, note := range notes(list) {
		if _, err := fmt.Fprintln(w, note); err != nil {
			return err
		}
	}
	return nil
}

// Markdown writes the same as a table of GitHub's.
func Markdown(w io.Writer, cfg Config, list []Result) error {
	var b bytes.Buffer
	escape := strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;")
	fmt.Fprintf(&b, "The highest rate that keeps each SLO, to %v %%:\n\n", percent(cfg.withDefaults().Precision))
	columns := header()
	fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	for _, r := range list {
		for _, row := range r.Rows {
			columns := fields(r, row)
			for i, text := range columns {
				columns[i] = escape.Replace(text)
			}
			fmt.Fprintf(&b, "| %s |\n", strings.Join(columns, " | "))
		}
	}
	for _, note := range notes(list) {
		fmt.Fprintf(&b, "\n%s\n", escape.Replace(note))
	}
	_, err := w.Write(b.Bytes())
	return err
}

func percent(part float64) string { return strconv.FormatFloat(100*part, 'g', 4, 64) }

func header() []string {
	return []string{"target", "size", "conn", "flight", "arrivals", "SLO", "kept at/s", "with", "not at/s", "with", "probes", "answer"}
}

func fields(r Result, row Row) []string {
	s := r.Shape
	return []string{
		r.Target, report.Size(s.Size), strconv.Itoa(s.Connections), report.InFlight(s.InFlight), string(s.Arrivals),
		row.Objective.String(), rate(row), orDash(row.At), number(row.Above), orDash(row.Over), strconv.Itoa(len(r.Probes)), string(row.Status),
	}
}

// rate writes the rate of a row: ≥ where the target may do more.
func rate(row Row) string {
	switch {
	case row.Rate == 0:
		return "-"
	case row.Status == Found:
		return strconv.Itoa(row.Rate)
	}
	return "≥" + strconv.Itoa(row.Rate)
}

func number(rate int) string {
	if rate == 0 {
		return "-"
	}
	return strconv.Itoa(rate)
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
