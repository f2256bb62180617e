// Package report shows results: as a table for people, as JSON and CSV for
// programs. It decides nothing: what a number is worth was decided when it was
// measured.
package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// Table writes a row for each cell, the spread between repeats if there are any,
// then what there is to say about the numbers, and through which clients and
// settings they came. It is at most 120 columns
// wide. A percentile with fewer than histogram.MinAbove ops above it is marked
// with ~, an unknown one is ?, and a maximum above which ops rank that are not
// done is marked with ≥.
func Table(w io.Writer, run results.Run, cells []*results.Cell, repeated []*results.Summary) error {
	_, err := io.WriteString(w, describeRun(run, cells, repeated).Text())
	return err
}

// Markdown writes what Table writes as tables and lists for a page or a comment.
func Markdown(w io.Writer, run results.Run, cells []*results.Cell, repeated []*results.Summary) error {
	_, err := io.WriteString(w, describeRun(run, cells, repeated).Markdown())
	return err
}

func describeRun(run results.Run, cells []*results.Cell, repeated []*results.Summary) *document.Document {
	var d document.Document
	rows(&d, cells)
	summaries(&d, run, repeated)
	trust(&d, cells)
	legend(&d, cells)
	problems(&d, cells)
	slos(&d, cells)
	notMeasured(&d, run)
	brokers(&d, cells)
	return &d
}

// shown are the percentiles of the table.
func shown() []float64 { return []float64{50, 99, 99.9, 99.99, 100} }

func rows(d *document.Document, cells []*results.Cell) {
	if len(cells) == 0 {
		return
	}
	d.Say("Response time in ms, from the moment each message was due; service p99 from the moment it was sent.")
	arrivals := !allConstant(cells)
	s := document.Table{Head: header(arrivals), Align: "lr", Gap: 1}
	for _, c := range cells {
		s.Rows = append(s.Rows, row(c, arrivals))
	}
	d.Show(s)
}

// allConstant tells whether arrivals need no column.
func allConstant(cells []*results.Cell) bool {
	return !slices.ContainsFunc(cells, func(c *results.Cell) bool {
		a := c.Plan.Shape.Arrivals
		return a != "" && a != schedule.Constant
	})
}

func header(arrivals bool) []string {
	fields := []string{"target", "rate/s", "reached", "size", "conn", "flight"}
	if arrivals {
		fields = append(fields, "arrivals")
	}
	return append(fields, "p50", "p99", "p99.9", "p99.99", "max", "svc p99", "ledger", "verdict")
}

func row(c *results.Cell, arrivals bool) []string {
	s := c.Plan.Shape
	fields := []string{
		clip(c.Plan.Target.Name, 12), count(float64(s.Rate)), count(c.ReachedPerS), words.Size(s.Size),
		fmt.Sprint(s.Connections), words.InFlight(s.InFlight),
	}
	if arrivals {
		fields = append(fields, string(cmp.Or(s.Arrivals, schedule.Constant)))
	}
	for _, p := range shown() {
		fields = append(fields, value(c.Response, p))
	}
	return append(fields, value(c.Service, 99), ledger(c.Ledger), verdict(c.Verdict))
}

// value writes a percentile with its mark.
func value(d results.Distribution, percentile float64) string {
	row, ok := d.At(percentile)
	v, known := row.Value()
	switch {
	case d.Count+d.Missing == 0:
		return "-"
	case percentile == 100 && d.Missing > 0 && d.Count > 0:
		return "≥" + words.Millis(time.Duration(d.MaxNS))
	case !ok || !known:
		return "?"
	case !row.Trusted:
		return "~" + words.Millis(v)
	}
	return words.Millis(v)
}

// count writes a rate without decimals, unless it is small.
func count(perSecond float64) string {
	if perSecond < 100 && perSecond != float64(int(perSecond)) {
		return fmt.Sprintf("%.1f", perSecond)
	}
	return fmt.Sprintf("%.0f", perSecond)
}

// ledger writes the ops done, and those that are not by what became of them: the
// parts add up to the ops that were due.
func ledger(l results.Ledger) string {
	text := fmt.Sprint(l.Done)
	for _, part := range []struct {
		n    int64
		mark string
	}{{l.Failed, "F"}, {l.Lost, "L"}, {l.Unsent, "U"}} {
		if part.n > 0 {
			text += fmt.Sprintf("+%d%s", part.n, part.mark)
		}
	}
	if len(text) > 17 {
		return fmt.Sprintf("%d/%d", l.Done, l.Due)
	}
	return text
}

// verdict is loud when it is not good.
func verdict(v results.Verdict) string {
	if v == results.Valid {
		return "valid"
	}
	return strings.ToUpper(string(v))
}

func clip(text string, width int) string {
	if runes := []rune(text); len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return text
}
