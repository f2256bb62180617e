package comparison

import (
	"strings"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
)

// A comparedRow is a line of comparisons as CSV: a percentile, the pauses, a time after a
// fault, or a cell that is on one side only.
type comparedRow struct {
	Of                *compare.Comparison
	BaseCell, NewCell string
	Pair              *compare.Pair // nil: there is none
	Percentile        string        // or what else it is of
	Row               *compare.Row  // nil: of pauses, and of a cell without a counterpart
	Answer            compare.Answer
	Reason            string
}

func comparedColumns() []string {
	side := func(name, field string) string {
		return strings.NewReplacer("$", name, "%", field).Replace("$_runs=Pair/%/IDs/# $_verdict=Pair/%/Verdict $_due=Pair/%/Ledger/Due $_done=Pair/%/Ledger/Done " +
			"$_failed=Pair/%/Ledger/Failed $_lost=Pair/%/Ledger/Lost $_unsent=Pair/%/Ledger/Unsent $_paused_s=Pair/Pauses/%/Seconds $_paused_runs=Pair/Pauses/%/Runs $_ns=Row/%NS")
	}
	return []string{
		"base=Of/Base/Dir new=Of/New/Dir base_cell=BaseCell new_cell=NewCell method=Pair/Method order=Pair/Order percentile=Percentile",
		side("base", "Base"), side("new", "New"),
		"ratio=Row/Ratio low=Row/Low high=Row/High level=Row/Level? shows=Row/Shows repeats_for_10=Row/RepeatsFor10",
		"limited_by=Row/LimitedBy left_out=Row/LeftOut answer=Answer reason=Reason",
	}
}

// compareTable has a row for each percentile of each pair, and one for each cell that is
// on one side only.
func compareTable(list []*compare.Comparison) document.Table {
	var rows []comparedRow
	for _, c := range list {
		for i := range c.Pairs {
			p := &c.Pairs[i]
			of := comparedRow{Of: c, BaseCell: p.Base.ID, NewCell: p.New.ID, Pair: p}
			for j := range p.Rows {
				rows = append(rows, of.with(&p.Rows[j], format.Number(p.Rows[j].Percentile)))
			}
			pauses := of
			pauses.Percentile, pauses.Answer, pauses.Reason = "pauses", p.Pauses.Answer, p.Pauses.Reason
			rows = append(rows, pauses)
			for j := range p.Faults {
				f := &p.Faults[j]
				rows = append(rows, of.with(&f.Time, f.What+": "+f.Fault))
			}
		}
		for _, u := range c.Unpaired {
			row := comparedRow{Of: c, Answer: compare.NotComparable, Reason: "only in " + u.Side}
			if row.BaseCell = u.ID; u.Side != "BASE" {
				row.BaseCell, row.NewCell = "", u.ID
			}
			rows = append(rows, row)
		}
	}
	return document.Records(rows, comparedColumns()...)
}

// with returns the line of one row of a pair.
func (c comparedRow) with(r *compare.Row, percentile string) comparedRow {
	c.Row, c.Percentile, c.Answer, c.Reason = r, percentile, r.Answer, r.Reason
	return c
}
