package merge

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/report"
	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// shown are the percentiles of the table.
func shown() []float64 { return []float64{50, 90, 99, 99.9, 99.99, 100} }

// head names the columns of the table.
func head() []string {
	return []string{"added", "intervals", "count", "missing", "p50", "p90", "p99", "p99.9", "p99.99", "max", "verdict"}
}

// rows returns the table: a row for each part, the sum, and how many samples of it
// rank above.
func (m *Sum) rows() (rows [][]string) {
	intervals := 0
	for _, p := range m.Parts {
		intervals += p.Intervals
		rows = append(rows, row(p.Name, p.Intervals, p.Distribution, strings.ToLower(string(p.Verdict))))
	}
	above := []string{"samples above", "", "", ""}
	for _, p := range shown() {
		at, _ := m.Distribution.At(p)
		above = append(above, strconv.FormatInt(at.SamplesAbove, 10))
	}
	return append(rows, row("sum", intervals, m.Distribution, ""), append(above, ""))
}

func row(name string, intervals int, d results.Distribution, verdict string) []string {
	fields := []string{name, strconv.Itoa(intervals), strconv.FormatInt(d.Count, 10), strconv.FormatInt(d.Missing, 10)}
	for _, p := range shown() {
		fields = append(fields, report.Value(d, p))
	}
	return append(fields, verdict)
}

// title says what the table shows.
func (m *Sum) title() string {
	what := "values without a tag, or with different ones"
	if m.Tag != "" {
		what = "tag " + m.Tag
	}
	return fmt.Sprintf("%s added up, in ms: %s", words.Plural(len(m.Parts), "log"), what)
}

// remarks explains the marks of the table, and has the notes.
func (m *Sum) remarks(table string) (lines []string) {
	for _, mark := range []struct{ sign, text string }{
		{"~", fmt.Sprintf("~ fewer than %d samples above: not to be relied on", histogram.MinAbove)},
		{"?", "? unknown: ops that are missing rank there"},
		{"≥", "≥ the largest that came back: ops that are missing rank above it"},
	} {
		if strings.Contains(table, mark.sign) {
			lines = append(lines, mark.text)
		}
	}
	for _, note := range m.Notes {
		lines = append(lines, "note: "+note)
	}
	return lines
}

// document is what there is to say of the sum.
func (m *Sum) document() *document.Document {
	var d document.Document
	table := document.Table{Head: head(), Rows: m.rows(), Align: "lr"}
	d.Say(m.title())
	d.Show(table)
	for _, remark := range m.remarks(table.Text()) {
		d.Say(remark)
	}
	return &d
}

// Table writes the sum as text.
func Table(w io.Writer, m *Sum) error {
	_, err := io.WriteString(w, m.document().Text())
	return err
}

// Markdown writes the sum as a table for a page or a comment.
func Markdown(w io.Writer, m *Sum) error {
	_, err := io.WriteString(w, m.document().Markdown())
	return err
}

// JSON writes the sum with all that is known of it.
func JSON(w io.Writer, m *Sum) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(m)
}

// CSV writes a row for each part, and the sum as the last. What is unknown is
// empty.
func CSV(w io.Writer, m *Sum) error {
	header := []string{"name", "path", "tag", "intervals", "verdict", "count", "missing", "clamped"}
	for _, p := range results.Percentiles() {
		header = append(header, fmt.Sprintf("p%v_ns", p), fmt.Sprintf("p%v_above", p))
	}
	rows := [][]string{header}
	intervals := 0
	for _, p := range m.Parts {
		intervals += p.Intervals
		rows = append(rows, record(p))
	}
	rows = append(rows, record(Part{Name: "sum", Tag: m.Tag, Intervals: intervals, Distribution: m.Distribution}))
	return csv.NewWriter(w).WriteAll(rows)
}

func record(p Part) []string {
	d := p.Distribution
	fields := []string{p.Name, p.Path, p.Tag, strconv.Itoa(p.Intervals), string(p.Verdict)}
	for _, n := range []int64{d.Count, d.Missing, d.Clamped} {
		fields = append(fields, strconv.FormatInt(n, 10))
	}
	for _, percentile := range results.Percentiles() {
		at, _ := d.At(percentile)
		value := ""
		if v, known := at.Value(); known {
			value = strconv.FormatInt(int64(v), 10)
		}
		fields = append(fields, value, strconv.FormatInt(at.SamplesAbove, 10))
	}
	return fields
}
