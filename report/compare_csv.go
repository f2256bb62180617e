package report

import (
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results/compare"
)

// compareTable has a row for each percentile of each pair, and one for each cell
// that is on one side only.
func compareTable(list []*compare.Comparison) document.Table {
	t := document.Table{Head: []string{"base", "new", "base_cell", "new_cell", "method", "order", "percentile"}}
	for _, side := range []string{"base", "new"} {
		for _, name := range []string{"runs", "verdict", "due", "done", "failed", "lost", "unsent", "paused_s", "paused_runs", "ns"} {
			t.Head = append(t.Head, side+"_"+name)
		}
	}
	t.Head = append(t.Head, "ratio", "low", "high", "level", "shows", "repeats_for_10", "limited_by", "odd", "answer", "reason")
	for _, c := range list {
		for _, p := range c.Pairs {
			for _, r := range p.Rows {
				t.Rows = append(t.Rows, compareRow(c, p, r))
			}
			t.Rows = append(t.Rows, pausesRow(c, p, len(t.Head)))
			for _, f := range p.Faults {
				t.Rows = append(t.Rows, faultTimeRow(c, p, f))
			}
		}
		for _, u := range c.Unpaired {
			t.Rows = append(t.Rows, unpairedRow(c, u, len(t.Head)))
		}
	}
	return t
}

func compareRow(c *compare.Comparison, p compare.Pair, r compare.Row) []string {
	row := pairFields(c, p, number(r.Percentile), r.BaseNS, r.NewNS)
	level, needs := "", ""
	if r.Level > 0 {
		level = number(r.Level)
	}
	if r.RepeatsFor10 != nil {
		needs = strconv.Itoa(*r.RepeatsFor10)
	}
	var limits, odd []string
	for _, code := range r.LimitedBy {
		limits = append(limits, string(code))
	}
	for _, o := range r.Odd {
		odd = append(odd, o.String())
	}
	return append(row, known(r.Ratio, number), known(r.Low, number), known(r.High, number), level, known(r.Shows, number), needs,
		strings.Join(limits, " "), strings.Join(odd, "; "), string(r.Answer), r.Reason)
}

// pausesRow is that of a pair's pauses, in so many columns.
func pausesRow(c *compare.Comparison, p compare.Pair, columns int) []string {
	row := pairFields(c, p, "pauses", nil, nil)
	row = append(row, make([]string, columns-len(row))...)
	row[columns-2], row[columns-1] = string(p.Pauses.Answer), p.Pauses.Reason
	return row
}

// pairFields writes what a row is of, and the values of both sides.
func pairFields(c *compare.Comparison, p compare.Pair, percentile string, base, next *int64) []string {
	row := []string{c.Base.Dir, c.New.Dir, p.Base.ID, p.New.ID, string(p.Method), string(p.Order), percentile}
	row = append(row, sideFields(p.Base, p.Pauses.Base, base)...)
	return append(row, sideFields(p.New, p.Pauses.New, next)...)
}

// sideFields writes the cells of a side, their pauses, and the value of their
// percentile.
func sideFields(c compare.Cells, p *compare.Paused, ns *int64) []string {
	fields := append([]string{strconv.Itoa(len(c.IDs)), string(c.Verdict)}, ledgerFields(c.Ledger)...)
	count, runs := "", ""
	if p != nil {
		count, runs = integer(p.Seconds), strconv.Itoa(p.Runs)
	}
	return append(fields, count, runs, known(ns, integer))
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
