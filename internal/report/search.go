package report

import (
	"fmt"
	"strconv"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/search"
	"github.com/brokerbench/brokerbench/results"
)

// Search shows a row for each target and objective: the highest rate that keeps the objective and
// the lowest that does not, with the values measured there; and the durability of the targets
// in the probes, which are cells. As JSON it is {"run": …, "search": …}, with the schemas of
// run.json and search.json.
func Search(run results.Run, cells []*results.Cell, found search.Document) *document.Document {
	text := document.Table{
		Head:  []string{"target", "size", "conn", "flight", "arrivals", "SLO", "kept at/s", "with", "not at/s", "with", "probes", "answer"},
		Align: "lrrrllrrrrrl",
	}
	type exactRow struct {
		search.Result
		search.Row
	}
	var exact []exactRow
	var notes []string
	for _, r := range found.Searches {
		for _, row := range r.Rows {
			text.Rows = append(text.Rows, searchText(r, row))
			exact = append(exact, exactRow{r, row})
			for _, note := range searchNotes(row, found.AtMost) {
				notes = append(notes, fmt.Sprintf("%s %s c%d, %v: %s", r.Target, words.Size(r.Shape.Size), r.Shape.Connections, row.Objective, note))
			}
		}
		if r.Hysteresis > 0 {
			notes = append(notes, fmt.Sprintf("%s %s c%d: hysteresis: after an overload it carried the rate that it had carried before only after a rest of %v",
				r.Target, words.Size(r.Shape.Size), r.Shape.Connections, r.Hysteresis))
		}
	}
	var d document.Document
	d.Say(fmt.Sprintf("The highest rate that keeps each SLO, within %.4g %%, and the lowest rate that does not:", 100*found.Precision))
	d.Show(text)
	d.Note(notes...)
	durability(&d, backings("", cells))
	d.Exact(document.Records(exact, "target=Target size_bytes=Shape/Size connections=Shape/Connections in_flight=Shape/InFlight arrivals=Shape/Arrivals",
		"slo=Objective status=Status rate_per_s=Rate? at=At/Measured at_low=At/Low%.4g at_high=At/High%.4g at_window_s=At/Window? at_rarer_s=At/Rarer?",
		"above_per_s=Above? over=Over/Measured over_low=Over/Low%.4g over_high=Over/High%.4g over_window_s=Over/Window?",
		"probes=Probes/# took_s=Took? needs_s=Needs? reason=Reason"), struct {
		Run    results.Run     `json:"run"`
		Search search.Document `json:"search"`
	}{run, found})
	return &d
}

func searchText(r search.Result, row search.Row) []string {
	s, kept := r.Shape, orDash(row.Rate)
	if row.Rate > 0 && row.Status != search.Found {
		kept = "≥" + kept // the target may do more
	}
	return []string{
		r.Target, words.Size(s.Size), strconv.Itoa(s.Connections), words.InFlight(s.InFlight), string(s.Arrivals),
		row.Objective.String(), kept, measuredAt(row.At), orDash(row.Above), measuredAt(row.Over),
		strconv.Itoa(len(r.Probes)), string(row.Status),
	}
}

// orDash writes a rate; - for 0, which is none.
func orDash(rate int) string {
	if rate == 0 {
		return "-"
	}
	return strconv.Itoa(rate)
}

// measuredAt writes the value that an objective limits.
func measuredAt(e *search.Evidence) string {
	if e == nil {
		return "-"
	}
	return e.Measured
}

func searchNotes(r search.Row, atMost time.Duration) (notes []string) {
	switch r.Status {
	case search.ByClient:
		notes = append(notes, fmt.Sprintf("at %d/s the client is the limit: %s", r.Above, r.Reason))
	case search.NotKnown:
		notes = append(notes, "it is unclear what limits the rate: "+r.Reason)
	case search.AtMax:
		notes = append(notes, "kept at the highest rate allowed (--max)")
	case search.NotKept:
		notes = append(notes, fmt.Sprintf("not kept at %d/s, the lowest rate", r.Above))
	case search.Hysteresis:
		notes = append(notes, r.Reason+": restart it, and search with --max below the overload")
	case search.NotDecided:
		notes = append(notes, notDecided(r, atMost))
	case search.Unfinished:
		notes = append(notes, "the search did not finish")
	case search.Found:
		if r.Reason != "" {
			notes = append(notes, fmt.Sprintf("at %d/s: %s", r.Above, r.Reason))
		}
	}
	if r.At != nil {
		notes = append(notes, fmt.Sprintf("at %d/s: %s", r.Rate, seen(*r.At)))
	}
	return notes
}

// notDecided describes a rate that was not found in time.
func notDecided(r search.Row, atMost time.Duration) string {
	known := "no rate is known to keep it"
	if r.Rate > 0 {
		known = fmt.Sprintf("kept at %d/s", r.Rate)
	}
	if r.Above > 0 {
		known += fmt.Sprintf(", not kept at %d/s", r.Above)
	}
	needs := "how long it would take is not known"
	if r.Needs > 0 {
		needs = fmt.Sprintf("it would take about %v in all", r.Needs.Round(time.Minute))
	}
	if r.Reason != "" {
		needs = r.Reason
	}
	return fmt.Sprintf("not decided, with at most %v: %s; %s", atMost, known, needs)
}

// seen sums up the windows of a rate, and names the pauses that they cannot show.
func seen(e search.Evidence) string {
	text := fmt.Sprintf("%d of %d messages were over the limit in %v (99 %%: at most %.2g %%)", e.Exceed, e.Messages, e.Window.Round(time.Second/10), 100*e.High)
	if e.Messages == 0 {
		text = fmt.Sprintf("measured for %v", e.Window.Round(time.Second/10))
	}
	if e.Rarer > 0 {
		text += fmt.Sprintf("; a pause rarer than one in %v would not have been seen", e.Rarer.Round(time.Second))
	}
	return text
}
