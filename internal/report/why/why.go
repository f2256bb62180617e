// Package why shows the causes of the worst messages.
package why

import (
	"fmt"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
)

// A Cell is a cell with the causes of its worst messages.
type Cell struct {
	ID string `json:"cell"`
	cause.Causes
}

// Document shows the causes of cells, and of each the worst pauses.
func Document(cells []Cell) *document.Document {
	d := new(document.Document)
	for _, c := range cells {
		d.Gap()
		d.Title(c.ID)
		d.Say(Sentences(&c.Causes)...)
		if len(c.Marks) > 0 {
			d.Show(pauses(c.Causes))
		}
	}
	type row struct {
		Cell string
		cause.Cause
	}
	var rows []row
	for _, c := range cells {
		for _, one := range c.Causes.Causes {
			rows = append(rows, row{c.ID, one})
		}
	}
	d.Exact(document.Records(rows, "cell=Cell cause=Cause/Cause where=Where coincide=Coincide pauses=Pauses expected=Expected p=P"), map[string]any{"cells": cells})
	return d
}

// Sentences says what was found in a cell.
func Sentences(r *cause.Causes) (lines []string) {
	switch r.Verdict {
	case cause.Undecided:
		lines = append(lines, "not decided: "+r.Reason)
	case cause.None:
		lines = append(lines, fmt.Sprintf("no cause found: none of those that were sampled coincides with the %d worst pauses more often than chance allows", r.Pauses))
	}
	for i, c := range r.Causes {
		of := ""
		if i > 0 {
			of = "of the rest, "
		}
		lines = append(lines, fmt.Sprintf("%s%s (p = %.2g)", of, c.Text(), c.P))
	}
	for _, m := range r.Missing {
		lines = append(lines, fmt.Sprintf("not sampled: %s: %s", cause.Cause{Cause: m.Cause, Where: m.Where}.Name(), m.Reason))
	}
	return lines
}

// pauses returns the table of the judged pauses.
func pauses(r cause.Causes) document.Table {
	t := document.Table{Head: []string{"at", "pause ms", "worst ms", "coincides with"}, Align: "rrrl"}
	for _, m := range r.Marks {
		var with []string
		for _, i := range m.Of {
			with = append(with, r.Causes[i].Name())
		}
		length := m.ToNS - m.FromNS
		t.Rows = append(t.Rows, []string{words.Duration(time.Duration(m.FromNS).Round(time.Millisecond)), format.Millis(&length), format.Millis(&m.WorstNS), strings.Join(with, ", ")})
	}
	return t
}
