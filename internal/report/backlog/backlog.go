// Package backlog writes what became of backlogs, and how stores were filled.
package backlog

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/results"
)

// A Name names a cell among others.
type Name func(c *results.Cell, among []*results.Cell) string

// Answer says for each cell with a backlog how long that took to drain, and what live traffic there was meanwhile, and
// for each whose store was filled what it held.
func Answer(d *document.Document, cells []*results.Cell, name Name) {
	for _, c := range cells {
		if b := c.Backlog; b != nil {
			d.Say(fmt.Sprintf("backlog %s %s: %s.%s%s", name(c, cells), c.Plan.Shape.Rate, drain(b), meanwhile(b), chill(b)))
		}
		if f := c.StoreFill; f != nil {
			d.Say(fmt.Sprintf("%s, %s %s: %s", c.Plan.Shape.StoreText(), name(c, cells), c.Plan.Shape.Rate, filled(f)))
		}
	}
}

// Show shows the ledgers of backlogs, and the times of each phase.
func Show(d *document.Document, cells []*results.Cell, name Name) {
	for _, c := range cells {
		b := c.Backlog
		if b == nil {
			continue
		}
		d.Say(fmt.Sprintf("%s %s: backlog of %s stored in %s. Its messages are not in the times and ledgers of other lines. Age is from when one was sent until group 0 had it.",
			name(c, cells), c.Plan.Shape.Rate, words.Count(b.Stored), words.Duration(time.Duration(b.FillNS))))
		d.Show(ledgers(b))
		d.Show(phases(b))
	}
}

// drain says whether a backlog was drained.
func drain(b *results.Backlog) string {
	switch {
	case b.Interrupted:
		return fmt.Sprintf("interrupted while the store was filled: %s of %s messages stored", words.Count(b.Stored), words.Count(b.Messages))
	case b.DrainNS != nil:
		return fmt.Sprintf("%s messages drained in %s, %.0f/s", words.Count(b.Messages), words.Duration(time.Duration(*b.DrainNS)), b.PerS)
	case b.WithinNS == 0:
		return "interrupted before the consumers returned"
	}
	text := fmt.Sprintf("NOT drained: %s of %s messages left after %s", words.Count(b.Left), words.Count(b.Messages), words.Duration(time.Duration(b.WithinNS)))
	if b.LastNS != nil {
		text += fmt.Sprintf("; the last came after %s, %.0f/s", words.Duration(time.Duration(*b.LastNS)), b.PerS)
	}
	return text
}

// meanwhile says how long live messages took during the drain.
func meanwhile(b *results.Backlog) string {
	p := b.During()
	if p == nil {
		return ""
	}
	text := fmt.Sprintf(" Meanwhile p99 of live messages in ms: %s for the group that lagged", format.Millis(p.Lagging.P99NS))
	if p.Others != nil {
		text += fmt.Sprintf(", %s for the others", format.Millis(p.Others.P99NS))
	}
	text += fmt.Sprintf("; ack %s", format.Millis(p.Ack.P99NS))
	if first := b.Before(); first != nil {
		text += fmt.Sprintf(", before %s", format.Millis(first.Ack.P99NS))
	}
	return text + "."
}

// chill says whether the page cache was dropped.
func chill(b *results.Backlog) string {
	switch {
	case b.NotCold != "":
		return " The page cache was NOT dropped: " + b.NotCold + "."
	case b.Cold:
		return " The page cache was dropped before."
	}
	return ""
}

// ledgers has what each group received.
func ledgers(b *results.Backlog) document.Table {
	t := document.Table{Align: "lr", Gap: 1, Head: []string{"backlog", "owed", "delivered", "missing", "twice", "corrupt", "behind at the start"}}
	for _, g := range b.Groups {
		row := []string{fmt.Sprintf("group %d", g.Number)}
		for _, n := range []int64{g.Owed, g.Delivered, g.Missing, g.Duplicate, g.Corrupt, g.Behind} {
			row = append(row, words.Count(n))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// phases has the times of each phase in ms, from due except for the ages.
func phases(b *results.Backlog) document.Table {
	t := document.Table{Align: "lr", Gap: 1, Head: []string{"ms", "p50", "p99", "p99.9", "max", "values", "missing"}}
	add := func(name string, of *results.BacklogTimes) {
		if of != nil {
			t.Rows = append(t.Rows, []string{
				name, format.Millis(of.P50NS), format.Millis(of.P99NS), format.Millis(of.P999NS), format.Millis(&of.MaxNS), words.Count(of.Count), words.Count(of.Missing),
			})
		}
	}
	add("age of the backlog", &b.Age)
	for _, p := range b.Phases {
		add(p.Phase+": lagging group", p.Lagging)
		add(p.Phase+": other groups", p.Others)
		add(p.Phase+": ack", &p.Ack)
	}
	return t
}
