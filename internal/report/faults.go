package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/results"
)

func faultHead() []string {
	return []string{"no acks", "no deliveries", "p99 back", "worst", "due in it", "failed", "lost", "acked+lost", "twice", "disorder"}
}

// faults shows the effect of each fault on the messages, once for all repeats of a cell.
func faults(d *document.Document, cells []*results.Cell) {
	t := document.Table{Head: append([]string{"cell", "fault"}, faultHead()...), Align: "llr"}
	var groups []document.Group
	var notes []string
	for _, repeats := range repeatsOf(cells) {
		for i, f := range results.FaultsOf(repeats) {
			row, title := faultRow(f), repeats[0].Plan.Title()
			t.Rows = append(t.Rows, append([]string{title, faultTitle(f)}, row...))
			groups = append(groups, document.Group{Title: title + ": " + faultTitle(f), Rows: stacked(row)})
			notes = append(notes, faultNotes(repeats, i)...)
		}
	}
	if len(groups) == 0 {
		return
	}
	text := "Faults: times in s, counted from each fault"
	if slices.ContainsFunc(cells, func(c *results.Cell) bool { return c.Plan.Repeat > 1 }) {
		text += "; of repeats their geometric mean and its 95 % interval, and the sums of the messages"
	}
	d.Say(text + ".")
	d.ShowAs(document.Table{Head: faultHead(), Align: "r"}.Grouped(groups), t)
	faultMarks(d)
	d.Note(append(notes, timers(cells)...)...)
}

// timers returns what decides how soon the broker of each target notices a fault.
func timers(cells []*results.Cell) (notes []string) {
	for _, c := range cells {
		var texts []string
		for _, t := range c.Broker.Timers {
			texts = append(texts, t.Name+" "+t.Value)
		}
		note := fmt.Sprintf("%s, timers of the broker: %s", c.Plan.Target.Name, strings.Join(texts, ", "))
		if len(c.Faults) > 0 && len(texts) > 0 && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	return notes
}

// faultTitle names a fault, and says how it ended.
func faultTitle(f results.FaultSummary) string {
	text := f.Name
	switch {
	case f.Made == 0:
		return text + ", NOT MADE"
	case f.Made < f.Of:
		text += fmt.Sprintf(", made in %d of %d", f.Made, f.Of)
	}
	for _, part := range []struct {
		what string
		at   *results.Spell
	}{{"healed after", f.Healed}, {"another leader after", f.Leader}, {"all copies in step after", f.Redundant}} {
		if part.at != nil {
			text += fmt.Sprintf(", %s %s s", part.what, format.Spell(part.at))
		}
	}
	return text
}

// faultRow writes the effect on the messages.
func faultRow(f results.FaultSummary) []string {
	if f.Worst == nil && f.Due == 0 { // the messages are unknown
		return slices.Repeat([]string{"-"}, len(faultHead()))
	}
	lost := "-"
	if f.AckedLost != nil {
		lost = words.Count(*f.AckedLost)
	}
	if f.OneOf > 0 {
		lost = "≤" + lost
	}
	return []string{
		format.Spell(f.Acks), format.Spell(f.Deliveries), format.Spell(f.Recovery), format.Spell(f.Worst), words.Count(f.Outage), words.Count(f.Failed), words.Count(f.Lost),
		lost, words.Count(f.Duplicates), words.Count(f.OutOfOrder),
	}
}

// stacked puts the intervals of a row below its values, if it has any.
func stacked(row []string) [][]string {
	values, intervals, found := slices.Clone(row), make([]string, len(row)), false
	for i, field := range row {
		if value, interval, ok := strings.Cut(field, " "); ok {
			values[i], intervals[i], found = value, interval, true
		}
	}
	if !found {
		return [][]string{values}
	}
	return [][]string{values, intervals}
}

func faultMarks(d *document.Document) {
	_, shown, _ := strings.Cut(d.Text(), "Faults: times")
	if strings.Contains(shown, ", healed after") {
		d.Note("healed: the fault was undone and the nodes answer again, counted from when it began")
	}
	if strings.Contains(shown, "<") {
		d.Note("< no outage is shown: it cannot have been longer")
	}
	if strings.Contains(shown, ">") {
		d.Note("> not over until the next fault or the end")
	}
	if strings.Contains(shown, "≤") {
		d.Note("≤ some are the loss of one of several faults: they count for each")
	}
}

// faultNotes returns what the row of a fault does not show, for each repeat, or once if all
// repeats agree.
func faultNotes(repeats []*results.Cell, i int) (notes []string) {
	var names []string
	for _, c := range repeats {
		if i >= len(c.Faults) {
			continue
		}
		f := c.Faults[i]
		parts := slices.Concat(without(f), p99s(f.Impact), led(f), partly(f, c.Plan.Shape.Connections), caughtUp(f.CatchUp))
		if len(parts) > 0 {
			names, notes = append(names, c.Plan.String()), append(notes, fmt.Sprintf("%s: %s", f.Name(), strings.Join(parts, "; ")))
		}
	}
	if all := slices.Compact(slices.Clone(notes)); len(all) == 1 && len(notes) == len(repeats) {
		return []string{repeats[0].Plan.Title() + ", " + all[0]}
	}
	for n := range notes {
		notes[n] = names[n] + ", " + notes[n]
	}
	return notes
}

// without says what of a fault or its effect is missing.
func without(f results.Fault) (parts []string) {
	if f.Error != "" {
		parts = append(parts, f.Error)
	}
	if f.Done() && f.Impact == nil {
		parts = append(parts, "its effect on messages cannot be separated: it began with the next fault, or after the last message was due")
	}
	if h := f.Impact; h != nil && (h.Acks != nil && h.Acks.Unknown || h.Deliveries != nil && h.Deliveries.Unknown) {
		parts = append(parts, "nothing came after it, and too few messages were due to show an outage")
	}
	return parts
}

// p99s returns p99 before and after, if it was not back, and p99 of all messages before, if more than the
// fault made them slow.
func p99s(h *results.Impact) (parts []string) {
	if h == nil || h.BaseP99NS == nil {
		return nil
	}
	if h.RecoveredNS == nil && h.LaterP99NS != nil {
		parts = append(parts, fmt.Sprintf("p99 was %s ms before, and %s ms in the end", format.Millis(h.BaseP99NS), format.Millis(h.LaterP99NS)))
	}
	if h.Disturbed != nil {
		parts = append(parts, fmt.Sprintf("something else made messages slow before it: their p99 was %s ms, and usually %s ms", format.Millis(&h.Disturbed.P99NS), format.Millis(h.BaseP99NS)))
	}
	return parts
}

func led(f results.Fault) []string {
	switch {
	case f.LeaderBefore == "":
		return nil
	case f.LeaderAfter == "":
		return []string{"leader " + f.LeaderBefore + " before, and none was seen after"}
	case f.LeaderAfter != f.LeaderBefore:
		return []string{fmt.Sprintf("leader %s, then %s", f.LeaderBefore, f.LeaderAfter) + leaderless(f)}
	}
	return []string{"leader " + f.LeaderBefore + " before and after" + leaderless(f)}
}

// leaderless says how long there was no leader.
func leaderless(f results.Fault) string {
	if f.LeaderlessNS == 0 {
		return ""
	}
	return ", and none for " + format.Seconds(f.LeaderlessNS) + " s"
}

// partly says how many connections an outage affected, if not all.
func partly(f results.Fault, connections int) (parts []string) {
	if f.Impact == nil {
		return nil
	}
	for _, one := range []struct {
		what string
		*results.Outage
	}{{"acknowledgements", f.Impact.Acks}, {"deliveries", f.Impact.Deliveries}} {
		if one.Outage == nil || !one.Shown {
			continue
		}
		switch {
		case one.Connections < connections:
			parts = append(parts, fmt.Sprintf("no %s on %d of %d connections", one.what, one.Connections, connections))
		case one.WholeNS > 0 && one.WholeNS < one.ForNS-int64(shortest):
			parts = append(parts, fmt.Sprintf("no %s on any connection for %s s", one.what, format.Seconds(one.WholeNS)))
		}
		if one.LastNS < f.BeganNS-one.UsualNS {
			parts = append(parts, fmt.Sprintf("no %s since %s s before the fault", one.what, format.Seconds(f.BeganNS-one.LastNS)))
		}
	}
	return parts
}

// shortest is the smallest difference of two outages that is noted, in nanoseconds.
const shortest = 50e6

func caughtUp(c *results.CatchUp) (parts []string) {
	if c == nil {
		return nil
	}
	text := words.Count(c.Behind) + " messages behind"
	if c.DrainedNS != nil {
		text += fmt.Sprintf(", delivered within %s s", format.Seconds(*c.DrainedNS))
	}
	if c.Undelivered > 0 {
		text += fmt.Sprintf(", but %s of them never", words.Count(c.Undelivered))
	}
	if parts = append(parts, text); c.Queued > 0 {
		parts = append(parts, fmt.Sprintf("%s of them waited in this client, as no more may be in flight", words.Count(c.Queued)))
	}
	for _, one := range []struct {
		what string
		of   *results.Times
	}{{"age at delivery", c.Age}, {"live meanwhile", c.Live}} {
		if one.of != nil {
			parts = append(parts, fmt.Sprintf("%s p50 %s, p99 %s, max %s s", one.what, format.Seconds(one.of.P50NS), format.Seconds(one.of.P99NS), format.Seconds(one.of.MaxNS)))
		}
	}
	return parts
}
