package report

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/measure/search"
	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// Search shows a row for each target and objective: which rate the objective
// allows, what was measured there and a step above. As JSON it is
// {"run": …, "search": …}, with the schemas of run.json and search.json.
func Search(run results.Run, found search.Document) *document.Document {
	text := document.Table{
		Head:  []string{"target", "size", "conn", "flight", "arrivals", "SLO", "kept at/s", "with", "not at/s", "with", "probes", "answer"},
		Align: "lrrrllrrrrrl",
	}
	exact := document.Table{Head: []string{
		"target", "size_bytes", "connections", "in_flight", "arrivals", "slo", "status", "rate_per_s", "at",
		"above_per_s", "over", "confirmed", "steps", "probes", "reason",
	}}
	var notes []string
	for _, r := range found.Searches {
		for _, row := range r.Rows {
			text.Rows = append(text.Rows, searchText(r, row))
			exact.Rows = append(exact.Rows, searchExact(r, row))
			for _, note := range searchNotes(row) {
				notes = append(notes, fmt.Sprintf("%s %s c%d, %v: %s", r.Target, words.Size(r.Shape.Size), r.Shape.Connections, row.Objective, note))
			}
		}
	}
	var d document.Document
	d.Say(fmt.Sprintf("The highest rate that keeps each SLO, within %.4g %%, and the lowest rate that does not:", 100*found.Precision))
	d.Show(text)
	for _, note := range notes {
		d.Note(note)
	}
	d.Exact(exact, struct {
		Run    results.Run     `json:"run"`
		Search search.Document `json:"search"`
	}{run, found})
	return &d
}

func searchText(r search.Result, row search.Row) []string {
	s, kept := r.Shape, cmp.Or(positive(row.Rate), "-")
	if row.Rate > 0 && row.Status != search.Found {
		kept = "≥" + kept // the target may do more
	}
	return []string{
		r.Target, words.Size(s.Size), strconv.Itoa(s.Connections), words.InFlight(s.InFlight), string(s.Arrivals),
		row.Objective.String(), kept, cmp.Or(row.At, "-"), cmp.Or(positive(row.Above), "-"), cmp.Or(row.Over, "-"),
		strconv.Itoa(len(r.Probes)), string(row.Status),
	}
}

func searchExact(r search.Result, row search.Row) []string {
	s := r.Shape
	return []string{
		r.Target, strconv.Itoa(s.Size), strconv.Itoa(s.Connections), strconv.Itoa(s.InFlight), string(s.Arrivals),
		row.Objective.String(), string(row.Status), positive(row.Rate), row.At, positive(row.Above), row.Over,
		strconv.FormatBool(row.Confirmed), strconv.Itoa(row.Steps), strconv.Itoa(len(r.Probes)), row.Reason,
	}
}

// searchNotes returns what there is to say about a row.
func searchNotes(r search.Row) (notes []string) {
	switch {
	case r.Steps < 0:
		notes = append(notes, "longer runs lowered the rate by "+words.Plural(-r.Steps, "step"))
	case r.Steps > 0:
		notes = append(notes, "longer runs raised the rate by "+words.Plural(r.Steps, "step"))
	}
	switch r.Status {
	case search.ByClient:
		notes = append(notes, fmt.Sprintf("at %d/s the client is the limit: %s", r.Above, r.Reason))
	case search.NotKnown:
		notes = append(notes, "it is unclear what limits the rate: "+r.Reason)
	case search.AtMax:
		notes = append(notes, "kept at the highest rate allowed (--max)")
	case search.NotKept:
		notes = append(notes, fmt.Sprintf("not kept at %d/s, the lowest rate", r.Above))
	case search.Unfinished:
		notes = append(notes, "the search did not finish")
	case search.Found:
		if r.Reason != "" {
			notes = append(notes, fmt.Sprintf("at %d/s: %s", r.Above, r.Reason))
		}
	}
	return notes
}
