package report

import (
	"strconv"
	"time"

	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results/history"
)

// historyTable has a row for each value: a cell's metric in a run, and the change that
// begins there.
func historyTable(h *history.History) document.Table {
	t := document.Table{Head: []string{"cell", "metric", "answer", "run", "started", "repeats", "value", "change", "before", "after", "p", "alarm"}}
	for _, c := range h.Cells {
		for _, m := range c.Metrics {
			for i, v := range m.Values {
				run := c.Runs[i]
				row := []string{
					c.ID, m.Name, string(m.Answer), run.Dir, run.Started.Format(time.RFC3339), strconv.Itoa(run.Repeats), known(v, number),
				}
				t.Rows = append(t.Rows, append(row, changeFields(m, i)...))
			}
		}
	}
	return t
}

// changeFields writes the change that begins with a run, if there is one.
func changeFields(m history.Metric, run int) []string {
	for _, c := range m.Changes {
		if c.Run != run {
			continue
		}
		word := "better"
		if c.Worse {
			word = "worse"
		}
		return []string{word, number(c.Before), number(c.After), number(c.P), strconv.FormatBool(c.Alarm)}
	}
	return make([]string, 5)
}
