package report

import (
	"fmt"
	"slices"

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

// shapeTable has a row for each target, and one for the slowest floor.
func shapeTable(s answer.Shape) document.Table {
	t := document.Table{Head: []string{"target"}, Align: "lr", Gap: 1, Bold: []string{"INVALID", "SUSPECT"}}
	doubtful, slow, uneven := false, false, false
	for _, target := range s.Targets {
		uneven = uneven || len(target.Cells) != s.Repeats
		doubtful = doubtful || target.Verdict != results.Valid
		slow = slow || target.Reached < reachedShare*float64(s.Shape.Rate)
	}
	for _, n := range s.Targets[0].Response {
		t.Head = append(t.Head, words.Percentile(n.Percentile))
		if n.Percentile == s.By {
			t.Head = append(t.Head, intervalHead(s.By))
		}
	}
	acks := ackedAt(s)
	for _, p := range acks {
		t.Head = append(t.Head, "ack "+words.Percentile(p))
	}
	if s.Repeats == 1 {
		t.Head = append(t.Head, "svc "+words.Percentile(s.By))
	}
	if slow {
		t.Head = append(t.Head, "reached")
	}
	if uneven {
		t.Head = append(t.Head, "repeats")
	}
	if t.Head = append(t.Head, "done"); doubtful {
		t.Head = append(t.Head, "verdict")
	}
	for _, target := range s.Targets {
		t.Rows = append(t.Rows, targetRow(s, target, acks, slow, uneven))
	}
	if floor := s.Floor(); floor != nil {
		t.Rows = append(t.Rows, floorRow(s, floor))
	}
	return t
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

func targetRow(s answer.Shape, target answer.Target, acks []float64, slow, uneven bool) []string {
	row := append([]string{target.Name}, numbers(s, target.Response, true)...)
	for _, p := range acks {
		row = append(row, numberAt(target.Ack, p))
	}
	if s.Repeats == 1 {
		row = append(row, numberAt(target.Service, s.By))
	}
	if slow {
		row = append(row, words.Rate(target.Reached))
	}
	if uneven {
		row = append(row, fmt.Sprintf("%d of %d", len(target.Cells), s.Repeats))
	}
	if row = append(row, done(target.Ledger)); target.Verdict != results.Valid {
		row = append(row, format.Verdict(target.Verdict))
	}
	return row
}

// numbers writes the percentiles of a series, and the interval of one of them.
func numbers(s answer.Shape, list []answer.Number, intervals bool) (fields []string) {
	for _, n := range list {
		fields = append(fields, numberText(n))
		switch {
		case n.Percentile != s.By:
		case intervals:
			fields = append(fields, intervalText(n))
		default:
			fields = append(fields, "")
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
	switch {
	case n.NS == nil:
		return "?"
	case n.AtLeast:
		return "≥" + format.Millis(n.NS)
	case !n.Usable:
		return "~" + format.Millis(n.NS)
	}
	return format.Millis(n.NS)
}

func intervalText(n answer.Number) string {
	switch {
	case n.NS == nil || n.LowNS == nil:
		return "-"
	case n.HighNS == nil:
		return format.Millis(n.LowNS) + "–∞"
	case format.TooWide(*n.LowNS, *n.HighNS):
		return format.Nothing
	}
	return format.Millis(n.LowNS) + "–" + format.Millis(n.HighNS)
}

// done writes how many of the messages that were due are done.
func done(l results.Ledger) string {
	if l.Missing() == 0 && l.Due > 0 {
		return fmt.Sprintf("all %d", l.Done)
	}
	return fmt.Sprintf("%d of %d", l.Done, l.Due)
}

func floorRow(s answer.Shape, floor []answer.Number) []string {
	return append([]string{"floor: echo"}, numbers(s, floor, false)...)
}
