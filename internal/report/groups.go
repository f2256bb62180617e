package report

import (
	"fmt"
	"slices"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/results"
)

// groups shows, for cells with groups of consumers, when the first group had a message and when each had it,
// and what every group received; of messages with keys the hottest and the coldest partition.
func groups(d *document.Document, cells []*results.Cell) {
	for _, c := range cells {
		if text := results.Extremes(c.Partitions); text != "" && c.OfSize < 2 {
			d.Say(fmt.Sprintf("%s %s, keys %v: %s", nameOf(c, cells), c.Plan.Shape.Rate, c.Plan.Shape.Keys, text))
		}
		if c.First == nil || c.Each == nil {
			continue
		}
		s := c.Plan.Shape
		d.Say(fmt.Sprintf("%s %s %s: %s, %s. In ms from due, a message is done when its last group has it; busiest and idlest are messages by member, their p99 that of the fastest and the slowest member.%s%s",
			nameOf(c, cells), s.Rate, s.SizeText(), s.Clients(), s.Topology.Text(), s.Topology.Divided(len(c.Agents)), results.Idle(c.Groups)))
		t := document.Table{Align: "lr", Gap: 1, Head: []string{"", "p50", "p99", "p99.9", "max", "owed", "missing", "twice", "disorder", "busiest", "idlest", "their p99"}}
		for _, series := range []struct {
			name string
			of   results.Distribution
		}{{"first group", *c.First}, {"each group", *c.Each}, {"last group", c.Response}} {
			row := append([]string{series.name}, format.Values(series.of, 50, 99, 99.9, 100)...)
			t.Rows = append(t.Rows, append(row, words.Count(series.of.Count+series.of.Missing), words.Count(series.of.Missing), "", "", "", "", ""))
		}
		sizes := map[bool]string{true: ", all sizes"}[c.OfSize > 0]
		for _, g := range c.Groups {
			t.Rows = append(t.Rows, []string{
				fmt.Sprintf("group %d%s", g.Number, sizes), format.Millis(g.P50NS), format.Millis(g.P99NS), "", format.Millis(&g.MaxNS),
				words.Count(g.Ledger.Due), words.Count(g.Ledger.Missing()), words.Count(g.Duplicate), words.Count(g.Disordered),
				words.Count(slices.Max(g.Members)), words.Count(slices.Min(g.Members)), g.MemberP99(format.Millis),
			})
		}
		d.Show(t)
	}
}
