package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/answer"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/search"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// Search shows a row for each target and objective: the highest rate that keeps the objective and
// the lowest that does not, with the values measured there; below it why a rate was not found, with
// a remedy, and the durability of the targets in the probes, which are cells. With details it also
// shows on what each rate rests. As JSON it is {"run": …, "search": …}, with the schemas of run.json
// and search.json.
func Search(run results.Run, cells []*results.Cell, found search.Document, details bool) *document.Document {
	type exactRow struct {
		search.Result
		search.Row
	}
	var exact []exactRow
	var shapes []plan.Shape
	for _, r := range found.Searches {
		for _, row := range r.Rows {
			exact = append(exact, exactRow{r, row})
		}
		r.Shape.Rate = 0
		shapes = append(shapes, r.Shape)
	}
	common, own := answer.Titles(shapes)
	title := fmt.Sprintf("Highest rate that keeps each SLO, within %.4g %%", 100*found.Precision)
	var d document.Document
	d.Say(strings.TrimSuffix(title+"; "+common, "; "))
	text := document.Table{Head: []string{"target", "load", "SLO", "keeps at/s", "with", "not at/s", "with", "answer"}, Align: "lllrrrrl"}
	var notes, evidence []string
	for i, r := range found.Searches {
		name := strings.TrimSpace(r.Target + " " + own[i])
		for _, row := range r.Rows {
			text.Rows = append(text.Rows, searchText(r.Target, own[i], row))
			about := fmt.Sprintf("%s, %v: ", name, row.Objective)
			if note := searchNote(row, found.AtMost); note != "" {
				notes = append(notes, about+note)
			}
			if row.Status == search.Found && row.Reason != "" {
				evidence = append(evidence, fmt.Sprintf("%sat %s/s: %s", about, words.Count(int64(row.Above)), row.Reason))
			}
			if row.At != nil {
				evidence = append(evidence, fmt.Sprintf("%sat %s/s: %s", about, words.Count(int64(row.Rate)), seen(*row.At)))
			}
		}
		if r.Hysteresis > 0 {
			notes = append(notes, fmt.Sprintf("%s: hysteresis: after an overload it carried the rate that it had carried before only after a rest of %v", name, r.Hysteresis))
		}
		evidence = append(evidence, fmt.Sprintf("%s: %s", name, words.Plural(len(r.Probes), "probe")))
	}
	d.Show(text.WithoutUsual("load", ""))
	d.Note(append(notes, rarest(found)...)...)
	if details {
		d.Note(evidence...)
	}
	durability(&d, backings("", cells))
	if next := nextSearch(run, found); next != nil {
		d.Gap()
		d.Command("Next: ", next)
	}
	d.Exact(document.Records(exact, "target=Target size_bytes=Shape/Size connections=Shape/Connections in_flight=Shape/InFlight arrivals=Shape/Arrivals",
		"slo=Objective status=Status rate_per_s=Rate? at=At/Measured at_low=At/Low%.4g at_high=At/High%.4g at_window_s=At/Window? at_rarer_s=At/Rarer?",
		"above_per_s=Above? over=Over/Measured over_low=Over/Low%.4g over_high=Over/High%.4g over_window_s=Over/Window?",
		"probes=Probes/# took_s=Took? needs_s=Needs? reason=Reason so_far_per_s=SoFar/Rate? so_far_above_per_s=SoFar/Above?"), struct {
		Run    results.Run     `json:"run"`
		Search search.Document `json:"search"`
	}{run, found})
	return &d
}

func searchText(target, load string, row search.Row) []string {
	kept := orDash(row.Rate)
	if row.Rate > 0 && row.Status != search.Found && row.Status != search.Opposed {
		kept = "≥" + kept // the target may do more
	}
	above, at, over := orDash(row.Above), row.At, row.Over
	if f := row.SoFar; f != nil && row.Rate == 0 && f.Rate > 0 {
		kept, at = "~"+orDash(f.Rate), f.At
	}
	if f := row.SoFar; f != nil && row.Above == 0 && f.Above > 0 {
		above, over = "~"+orDash(f.Above), f.Over
	}
	return []string{target, load, row.Objective.String(), kept, measuredAt(at), above, measuredAt(over), string(row.Status)}
}

// rarest names the pauses that the rates which keep their SLO cannot show.
func rarest(found search.Document) []string {
	var least time.Duration
	for _, r := range found.Searches {
		for _, row := range r.Rows {
			if row.At != nil && row.At.Rarer > 0 && (least == 0 || row.At.Rarer < least) {
				least = row.At.Rarer
			}
		}
	}
	if least == 0 {
		return nil
	}
	return []string{fmt.Sprintf("a pause rarer than one in %v would not have been seen", least.Round(time.Second))}
}

// orDash writes a rate; - for 0, which is none.
func orDash(rate int) string {
	if rate == 0 {
		return "-"
	}
	return words.Count(int64(rate))
}

// measuredAt writes the value that an objective limits.
func measuredAt(e *search.Evidence) string {
	if e == nil {
		return "-"
	}
	return e.Measured
}

// searchNote returns why a rate was not found, with a remedy; "" if it was.
func searchNote(r search.Row, atMost time.Duration) string {
	switch r.Status {
	case search.ByClient:
		return fmt.Sprintf("at %s/s this client is the limit: %s → --agents", words.Count(int64(r.Above)), r.Reason)
	case search.NotKnown:
		return "it is unclear what limits the rate: " + r.Reason
	case search.AtMax:
		return fmt.Sprintf("kept at the highest rate allowed → --max %d", 2*r.Rate)
	case search.NotKept:
		return fmt.Sprintf("not kept at %s/s, the lowest rate → --from %d", words.Count(int64(r.Above)), max(r.Above/10, 1))
	case search.Opposed:
		return fmt.Sprintf("not monotone: kept at %s/s, missed at %s/s, each again after the other", words.Count(int64(r.Rate)), words.Count(int64(r.Above)))
	case search.Hysteresis:
		return r.Reason + ": restart it, and search with --max below the overload"
	case search.NotDecided:
		return r.Undecided(atMost)
	case search.Unfinished:
		return "the search did not finish"
	case search.Found:
	}
	return ""
}

// nextSearch returns the command line of a search with the time that it needs; nil if it was
// decided, or if that is not known.
func nextSearch(run results.Run, found search.Document) []string {
	needs := found.Needs()
	if needs == "" || len(run.Command) < 2 {
		return nil
	}
	return answer.With(run.Command, "--at-most", needs)
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
