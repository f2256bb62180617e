package report

import (
	"strconv"

	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results/compare"
)

// compareTable has a row for each percentile of each pair, and one for each cell
// that is on one side only.
func compareTable(list []*compare.Comparison) document.Table {
	t := document.Table{Head: []string{"base", "new", "base_cell", "new_cell", "method", "percentile"}}
	for _, side := range []string{"base", "new"} {
		for _, name := range []string{"runs", "verdict", "due", "done", "failed", "lost", "unsent", "ns"} {
			t.Head = append(t.Head, side+"_"+name)
		}
	}
	t.Head = append(t.Head, "ratio", "low", "high", "level", "answer", "reason")
	for _, c := range list {
		for _, p := range c.Pairs {
			for _, r := range p.Rows {
				t.Rows = append(t.Rows, compareRow(c, p, r))
			}
		}
		for _, u := range c.Unpaired {
			t.Rows = append(t.Rows, unpairedRow(c, u, len(t.Head)))
		}
	}
	return t
}

func compareRow(c *compare.Comparison, p compare.Pair, r compare.Row) []string {
	row := []string{c.Base.Dir, c.New.Dir, p.Base.ID, p.New.ID, string(p.Method), number(r.Percentile)}
	row = append(row, sideFields(p.Base, r.BaseNS)...)
	row = append(row, sideFields(p.New, r.NewNS)...)
	level := ""
	if r.Level > 0 {
		level = number(r.Level)
	}
	return append(row, known(r.Ratio, number), known(r.Low, number), known(r.High, number), level, string(r.Answer), r.Reason)
}

// sideFields writes the cells of a side and the value of their percentile.
func sideFields(c compare.Cells, ns *int64) []string {
	fields := append([]string{strconv.Itoa(len(c.IDs)), string(c.Verdict)}, ledgerFields(c.Ledger)...)
	return append(fields, known(ns, integer))
}

// unpairedRow writes a cell without a counterpart, in so many columns.
func unpairedRow(c *compare.Comparison, u compare.Unpaired, columns int) []string {
	row := make([]string, columns)
	row[0], row[1] = c.Base.Dir, c.New.Dir
	if u.Side == "BASE" {
		row[2] = u.ID
	} else {
		row[3] = u.ID
	}
	row[columns-2], row[columns-1] = string(compare.NotComparable), "only in "+u.Side
	return row
}
