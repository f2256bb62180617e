package search

import (
	"fmt"
	"io"
	"strconv"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/report/document"
)

// Table writes a row for each target and objective, strict objectives beside
// lenient ones: which rate each allows, what was measured there and a step above,
// and below the table what there is to say about a row.
func Table(w io.Writer, cfg Config, list []Result) error {
	_, err := io.WriteString(w, describe(cfg, list).Text())
	return err
}

// Markdown writes the same for a page or a comment.
func Markdown(w io.Writer, cfg Config, list []Result) error {
	_, err := io.WriteString(w, describe(cfg, list).Markdown())
	return err
}

func describe(cfg Config, list []Result) *document.Document {
	var d document.Document
	d.Say(fmt.Sprintf("The highest rate that keeps each SLO, to %v %%, and the lowest that does not:", percent(cfg.withDefaults().Precision)))
	d.Show(table(list))
	for _, note := range notes(list) {
		d.Say(note)
	}
	return &d
}

func table(list []Result) document.Table {
	s := document.Table{
		Head:  []string{"target", "size", "conn", "flight", "arrivals", "SLO", "kept at/s", "with", "not at/s", "with", "probes", "answer"},
		Align: "lrrrllrrrrrl",
	}
	for _, r := range list {
		for _, row := range r.Rows {
			s.Rows = append(s.Rows, fields(r, row))
		}
	}
	return s
}

func percent(part float64) string { return strconv.FormatFloat(100*part, 'g', 4, 64) }

func fields(r Result, row Row) []string {
	s := r.Shape
	return []string{
		r.Target, words.Size(s.Size), strconv.Itoa(s.Connections), words.InFlight(s.InFlight), string(s.Arrivals),
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
