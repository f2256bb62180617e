package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// responses shows the response time of each cell, in the order of measuring.
func responses(d *document.Document, cells []*results.Cell) {
	if len(cells) == 0 {
		return
	}
	d.Say("Response time in ms, from the moment each message was due; service p99 from the moment it was sent.")
	arrivals := slices.ContainsFunc(cells, func(c *results.Cell) bool { return arrivalsOf(c) != schedule.Constant })
	t := document.Table{Head: []string{"target", "rate/s", "reached", "size", "conn", "flight"}, Align: "lr", Gap: 1}
	if arrivals {
		t.Head = append(t.Head, "arrivals")
	}
	t.Head = append(t.Head, "p50", "p99", "p99.9", "p99.99", "max", "svc p99", "ledger", "verdict")
	for _, c := range cells {
		t.Rows = append(t.Rows, responseRow(c, arrivals, repeated(cells)))
	}
	d.Show(t)
}

func arrivalsOf(c *results.Cell) schedule.Arrivals {
	return cmp.Or(c.Plan.Shape.Arrivals, schedule.Constant)
}

// repeated tells whether any cell was measured more than once.
func repeated(cells []*results.Cell) bool {
	return slices.ContainsFunc(cells, func(c *results.Cell) bool { return c.Plan.Repeat > 1 })
}

// nameOf names the target of a cell, and which repeat it is if there are several.
func nameOf(c *results.Cell, repeated bool) string {
	name := format.Clip(c.Plan.Target.Name, 12)
	if repeated {
		name += fmt.Sprintf(" r%d", c.Plan.Repeat)
	}
	return name
}

func responseRow(c *results.Cell, arrivals, repeated bool) []string {
	s := c.Plan.Shape
	fields := []string{
		nameOf(c, repeated), s.Rate.Column(), words.Rate(c.ReachedPerS), words.Size(s.Size),
		fmt.Sprint(s.Connections), words.InFlight(s.InFlight),
	}
	if arrivals {
		fields = append(fields, string(arrivalsOf(c)))
	}
	for _, p := range append(results.Headline(), 100) {
		fields = append(fields, format.Value(c.Response, p))
	}
	return append(fields, format.Value(c.Service, 99), format.Ledger(c.Ledger), format.Verdict(c.Verdict))
}
