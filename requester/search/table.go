package search

import (
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
	return notes(w, list, "")
}

// Markdown writes the same as a table of GitHub's.
func Markdown(w io.Writer, cfg Config, list []Result) error {
	fmt.Fprintf(w, "The highest rate that keeps each SLO, to %v %%:\n\n", percent(cfg.withDefaults().Precision))
	columns := header()
	fmt.Fprintf(w, "| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	for _, r := range list {
		for _, row := range r.Rows {
			text := strings.Join(fields(r, row), "\x00")
			text = strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;", "\x00", " | ").Replace(text)
			fmt.Fprintf(w, "| %s |\n", text)
		}
	}
	fmt.Fprintln(w)
	return notes(w, list, "- ")
}

func percent(part float64) string { return strconv.FormatFloat(100*part, 'g', 4, 64) }

func header() []string {
	return []string{"target", "size", "conn", "flight", "arrivals", "SLO", "rate/s", "measured", "not at", "measured", "probes", "answer"}
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

// notes says what is not in the rows.
func notes(w io.Writer, list []Result, bullet string) error {
	for _, r := range list {
		for _, row := range r.Rows {
			for _, text := range row.notes() {
				if _, err := fmt.Fprintf(w, "%s%s, %v: %s\n", bullet, r.Target, row.Objective, text); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// notes returns what there is to say about the row.
func (r Row) notes() (texts []string) {
	switch {
	case r.Steps < 0:
		texts = append(texts, "confirming took the rate down by "+report.Plural(-r.Steps, "step"))
	case r.Steps > 0:
		texts = append(texts, "confirming took the rate up by "+report.Plural(r.Steps, "step"))
	}
	switch r.Status {
	case ByClient:
		texts = append(texts, fmt.Sprintf("at %d/s the client is the limit: %s", r.Above, r.Reason))
	case NotKnown:
		texts = append(texts, "not known who is the limit: "+r.Reason)
	case AtMax:
		texts = append(texts, "kept at the highest rate that was allowed (--max)")
	case NotKept:
		texts = append(texts, fmt.Sprintf("not kept at %d/s, the lowest rate", r.Above))
	case Unfinished:
		texts = append(texts, "the search is not finished")
	case Found:
		if r.Reason != "" {
			texts = append(texts, fmt.Sprintf("at %d/s: %s", r.Above, r.Reason))
		}
	}
	return texts
}

// Worst returns the status that tells most about a search as a whole: an
// objective that is not kept at all before one whose rate is not known, before
// one whose rate is.
func Worst(list []Result) Status {
	order := []Status{Unfinished, NotKept, NotKnown, ByClient, AtMax, Found}
	worst := len(order) - 1
	for _, r := range list {
		for _, row := range r.Rows {
			for i, s := range order[:worst] {
				if row.Status == s {
					worst = i
				}
			}
		}
	}
	return order[worst]
}
