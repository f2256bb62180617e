package report

import (
	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/results/compare"
)

// faultRows shows how long things took after each fault, in ms as all of the table, and what
// was acknowledged and is lost.
func faultRows(p compare.Pair, n *footnotes) (rows [][]string) {
	for _, f := range p.Faults {
		r := f.Time
		ratio, needs := "-", "-"
		if r.Ratio != nil {
			ratio = factor(*r.Ratio)
		}
		if r.RepeatsFor10 != nil {
			needs = words.Plural(*r.RepeatsFor10, "run")
		}
		rows = append(rows, []string{
			n.mark(f.What, f.Fault), fault(r.BaseNS), fault(r.NewNS), ratio, interval(r), smallest(r.Shows), needs, n.mark(string(r.Answer), rowNotes(r)...),
		})
	}
	if l := p.Lost; l != nil {
		rows = append(rows, []string{"acked+lost", integer(l.Base), integer(l.New), "", "", "", "", ""})
	}
	return rows
}

// fault writes how long something took; - if that is not known of every run.
func fault(ns *int64) string {
	if ns == nil {
		return "-"
	}
	return millis(ns)
}

// faultTimeRow is that of a time of a fault.
func faultTimeRow(c *compare.Comparison, p compare.Pair, f compare.FaultRow) []string {
	row := compareRow(c, p, f.Time)
	row[percentileColumn] = f.What + ": " + f.Fault
	return row
}

// percentileColumn is the column of a comparison's CSV that says what a row is of.
const percentileColumn = 6
