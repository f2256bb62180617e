package report

import (
	"fmt"
	"strings"

	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// slos says which objectives were not passed, and how many were.
func slos(d *document.Document, cells []*results.Cell) {
	counts := make(map[results.Outcome]int)
	for _, c := range cells {
		for _, s := range c.SLOs {
			counts[s.Outcome]++
			if s.Outcome != results.Passed {
				d.Say(fmt.Sprintf("SLO %s %s: %v: %s", strings.ToUpper(string(s.Outcome)), c.ID, s.Objective, s.Text))
			}
		}
	}
	if len(counts) == 0 {
		return
	}
	var parts []string
	for _, o := range []results.Outcome{results.Passed, results.Missed, results.Inconclusive} {
		if counts[o] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[o], o))
		}
	}
	d.Say("SLOs: " + strings.Join(parts, ", "))
}

// outcomes writes the objectives of a cell in one field.
func outcomes(c *results.Cell) string {
	texts := make([]string, len(c.SLOs))
	for i, s := range c.SLOs {
		texts[i] = fmt.Sprintf("%v %s: %s", s.Objective, s.Outcome, s.Text)
	}
	return strings.Join(texts, "; ")
}
