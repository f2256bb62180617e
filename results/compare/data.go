package compare

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// JSON writes {"comparisons": […]} with the schema of [Comparison].
func JSON(w io.Writer, list ...*Comparison) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		Comparisons []*Comparison `json:"comparisons"`
	}{list})
}

// CSV writes a row for each percentile of each pair, and one for each cell that is
// on one side only. What is unknown is empty; times are in nanoseconds.
func CSV(w io.Writer, list ...*Comparison) error {
	table := document.Table{Head: csvHeader()}
	for _, c := range list {
		for _, p := range c.Pairs {
			for _, r := range p.Rows {
				table.Rows = append(table.Rows, c.csvRow(p, r))
			}
		}
		for _, u := range c.Unpaired {
			table.Rows = append(table.Rows, c.csvUnpaired(u))
		}
	}
	return table.CSV(w)
}

func csvHeader() []string {
	header := []string{"base", "new", "base_cell", "new_cell", "method", "percentile"}
	for _, side := range []string{"base", "new"} {
		for _, name := range []string{"runs", "verdict", "due", "done", "failed", "lost", "unsent", "ns"} {
			header = append(header, side+"_"+name)
		}
	}
	return append(header, "ratio", "low", "high", "level", "answer", "reason")
}

func (c *Comparison) csvRow(p Pair, r Row) []string {
	base, next := nanoseconds(r.BaseNS), nanoseconds(r.NewNS)
	fields := []string{c.Base.Dir, c.New.Dir, p.Base.ID, p.New.ID, string(p.Method), number(&r.Percentile)}
	fields = append(append(fields, p.Base.csv()...), base)
	fields = append(append(fields, p.New.csv()...), next)
	level := ""
	if r.Level > 0 {
		level = number(&r.Level)
	}
	return append(fields, number(r.Ratio), number(r.Low), number(r.High), level, string(r.Answer), r.Reason)
}

func (c Cells) csv() []string {
	fields := []string{strconv.Itoa(len(c.IDs)), string(c.Verdict)}
	return append(fields, counts(c.Ledger)...)
}

func counts(l results.Ledger) (fields []string) {
	for _, n := range []int64{l.Due, l.Done, l.Failed, l.Lost, l.Unsent} {
		fields = append(fields, strconv.FormatInt(n, 10))
	}
	return fields
}

// csvUnpaired writes a cell without a counterpart.
func (c *Comparison) csvUnpaired(u Unpaired) []string {
	fields := make([]string, len(csvHeader()))
	fields[0], fields[1] = c.Base.Dir, c.New.Dir
	if u.Side == "BASE" {
		fields[2] = u.ID
	} else {
		fields[3] = u.ID
	}
	fields[len(fields)-2], fields[len(fields)-1] = string(NotComparable), fmt.Sprintf("only in %s", u.Side)
	return fields
}

func nanoseconds(ns *int64) string {
	if ns == nil {
		return ""
	}
	return strconv.FormatInt(*ns, 10)
}

func number(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}
