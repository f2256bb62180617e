package report

import (
	"github.com/brokerbench/brokerbench/internal/machine/doctor"
	"github.com/brokerbench/brokerbench/internal/report/document"
)

// Doctor lists the findings of doctor. In text, a remedy is on a separate line.
func Doctor(findings []doctor.Finding) *document.Document {
	text, all := document.Table{}, document.Table{Head: []string{"state", "what", "found", "remedy"}}
	for _, f := range findings {
		state := string(f.State)
		all.Rows = append(all.Rows, []string{state, f.Name, f.Value, f.Remedy})
		if f.State == doctor.Bad {
			state = "BAD"
		}
		text.Rows = append(text.Rows, []string{state, f.Name, f.Value})
		if f.Remedy != "" {
			text.Rows = append(text.Rows, []string{"", "", "→ " + f.Remedy})
		}
	}
	var d document.Document
	d.ShowAs(text.Text(), all)
	d.Exact(all, findings)
	return &d
}
