package report

import (
	"github.com/brokerbench/brokerbench/machine/doctor"
	"github.com/brokerbench/brokerbench/report/document"
)

// Doctor lists what doctor found. In text a remedy has a line of its own.
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
