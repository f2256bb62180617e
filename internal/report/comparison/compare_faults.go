package comparison

import (
	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/report/format"
)

// faultRows shows how long things took after each fault, in ms like the rest of the table, and the
// acknowledged messages that are lost.
func faultRows(p compare.Pair, n *footnotes) (rows [][]string) {
	for _, f := range p.Faults {
		values := []string{n.mark(f.What, f.Fault), fault(f.Time.BaseNS), fault(f.Time.NewNS)}
		rows = append(rows, append(values, answerFields(f.Time, n)...))
	}
	if l := p.Lost; l != nil {
		rows = append(rows, []string{"acked+lost", format.Integer(l.Base), format.Integer(l.New), "", "", "", "", ""})
	}
	return rows
}

// fault writes how long something took; - if that is unknown in any run.
func fault(ns *int64) string {
	if ns == nil {
		return "-"
	}
	return format.Millis(ns)
}
