package report

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/answer"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/results"
)

// shapes shows the targets of each shape, the fastest first, and which of them can be told
// apart.
func shapes(d *document.Document, a *answer.Answer) {
	for i, s := range a.Shapes {
		if i == 0 {
			d.Say(timesShown(a))
		}
		d.Add("\n", "")
		title := s.Title
		if s.Repeats > 1 {
			title += fmt.Sprintf(", %d repeats", s.Repeats)
		}
		d.Title(title)
		d.ShowFitting(shapeTable(s), "svc "+words.Percentile(s.By), "ack p50", intervalHead(s.By), "reached", "p75", "p50", "p90", "p95")
		for _, sentence := range s.Sentences {
			d.Note("  " + sentence)
		}
		for _, target := range s.Targets {
			if len(target.LeftOut) > 0 {
				d.Note(fmt.Sprintf("  Interrupted, so in no number: %s.", words.And(target.LeftOut)))
			}
		}
	}
	if len(a.Shapes) > 0 {
		d.Add("\n", "")
	}
	if caveat := a.Caveat(); caveat != "" {
		d.Note(caveat)
	}
}

// timesShown explains the times of the tables.
func timesShown(a *answer.Answer) string {
	if slices.ContainsFunc(a.Shapes, func(s answer.Shape) bool { return ackedAt(s) != nil }) {
		return "Response time in ms, and the time until a message was acknowledged (ack), from the moment each message was due."
	}
	return "Response time in ms, from the moment each message was due."
}

// reachedShare is the share of the offered rate below which the reached rate is shown.
const reachedShare = 0.995

// intervalHead is the head of the column with the interval of a percentile.
func intervalHead(percentile float64) string { return words.Percentile(percentile) + " 95 %" }

// shapeTable has a row for each target, and one for the slowest floor. It has no columns that say
// nothing.
func shapeTable(s answer.Shape) document.Table {
	t := document.Table{Head: []string{"target"}, Align: "lr", Gap: 1, Bold: []string{"INVALID", "SUSPECT"}}
	for _, n := range s.Targets[0].Response {
		t.Head = append(t.Head, words.Percentile(n.Percentile))
		if n.Percentile == s.By {
			t.Head = append(t.Head, intervalHead(s.By))
		}
	}
	for _, p := range ackedAt(s) {
		t.Head = append(t.Head, "ack "+words.Percentile(p))
	}
	service := "svc " + words.Percentile(s.By)
	t.Head = append(t.Head, service, "reached", "repeats", "done", "verdict")
	slow := false
	for _, target := range s.Targets {
		slow = slow || target.Reached < reachedShare*float64(s.Shape.Rate)
		t.Rows = append(t.Rows, targetRow(s, target))
	}
	if floor := s.Floor(); floor != nil {
		noInterval := func(answer.Number) string { return "" }
		t.Rows = append(t.Rows, append([]string{"floor: echo"}, numbers(floor, s.By, noInterval)...))
	}
	if s.Repeats > 1 {
		t = t.Without(service)
	}
	if !slow {
		t = t.Without("reached")
	}
	return t.WithoutUsual("repeats", fmt.Sprintf("%d of %[1]d", s.Repeats)).WithoutUsual("verdict", "")
}

// ackedAt returns the percentiles at which acknowledgements are shown; none if no target
// acknowledges.
func ackedAt(s answer.Shape) []float64 {
	switch {
	case !slices.ContainsFunc(s.Targets, func(t answer.Target) bool { return len(t.Ack) > 0 }):
		return nil
	case slices.ContainsFunc(s.Targets[0].Response, func(n answer.Number) bool { return n.Percentile == 50 }) && s.By != 50:
		return []float64{50, s.By}
	}
	return []float64{s.By}
}

func targetRow(s answer.Shape, target answer.Target) []string {
	row := append([]string{target.Name}, numbers(target.Response, s.By, intervalText)...)
	for _, p := range ackedAt(s) {
		row = append(row, numberAt(target.Ack, p))
	}
	done, verdict := fmt.Sprintf("%d of %d", target.Ledger.Done, target.Ledger.Due), ""
	if target.Ledger.Missing() == 0 && target.Ledger.Due > 0 {
		done = fmt.Sprintf("all %d", target.Ledger.Done)
	}
	if target.Verdict != results.Valid {
		verdict = format.Verdict(target.Verdict)
	}
	repeats := fmt.Sprintf("%d of %d", len(target.Cells), s.Repeats)
	return append(row, numberAt(target.Service, s.By), words.Rate(target.Reached), repeats, done, verdict)
}

// numbers writes the percentiles of a series, and the interval of one of them.
func numbers(list []answer.Number, by float64, interval func(answer.Number) string) (fields []string) {
	for _, n := range list {
		if fields = append(fields, numberText(n)); n.Percentile == by {
			fields = append(fields, interval(n))
		}
	}
	return fields
}

// numberAt writes one percentile of a series; - if it has none.
func numberAt(list []answer.Number, percentile float64) string {
	for _, n := range list {
		if n.Percentile == percentile {
			return numberText(n)
		}
	}
	return "-"
}

// numberText writes a number with its mark.
func numberText(n answer.Number) string {
	if n.NS != nil && n.AtLeast {
		return "≥" + format.Millis(n.NS)
	}
	if n.Unseen {
		return format.Marked(n.NS, n.Usable) + "°"
	}
	return format.Marked(n.NS, n.Usable)
}

// unseen says which pauses the numbers with ° do not exclude: those of the target that was
// measured for the shortest time.
func unseen(d *document.Document, a *answer.Answer) {
	least := time.Duration(math.MaxInt64)
	for _, s := range a.Shapes {
		for _, t := range s.Targets {
			if slices.ContainsFunc(slices.Concat(t.Response, t.Ack), func(n answer.Number) bool { return n.Unseen }) {
				least = min(least, time.Duration(t.WindowNS))
			}
		}
	}
	if least < math.MaxInt64 {
		every := time.Duration(float64(results.UnseenPause) / results.Unseen(least, 0))
		d.Note(fmt.Sprintf("° no pause of %v was seen in %v: one every %v is not excluded, and would raise this number",
			results.UnseenPause, least, every.Round(time.Second/10)))
	}
}

func intervalText(n answer.Number) string {
	if n.NS == nil {
		return "-"
	}
	return format.Bounds(n.LowNS, n.HighNS)
}
