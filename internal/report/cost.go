package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/answer"
	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/results"
)

// repeatsOf groups the cells that are repeats of each other.
func repeatsOf(cells []*results.Cell) [][]*results.Cell {
	return group.By(cells, func(c *results.Cell) string { return c.Plan.SharedID() })
}

// costs shows the cost of a message at each rate beside its latency: a row for each shape of a
// target, over all repeats, and one for each node of a cell.
func costs(d *document.Document, cells []*results.Cell) {
	known := slices.DeleteFunc(slices.Clone(cells), func(c *results.Cell) bool { return c.Cost == nil })
	if len(known) == 0 {
		return
	}
	d.Say("Cost of a message: processor time of the target's nodes, data that they wrote to files (cancelled: the part that never reached a disk, because its file was deleted or cut first), and processor time of brokerbench.")
	t := document.Table{Head: []string{"target", "rate/s", "size", "conn", "p50", "p99", "cores", "CPU/msg", "written/msg", "cancelled", "memory", "client CPU/msg"}, Align: "lr"}
	for _, repeats := range repeatsOf(known) {
		t.Rows = append(t.Rows, costRow(repeats))
	}
	d.ShowFitting(t, "conn", "p50")
	nodes(d, cells)
}

func costRow(repeats []*results.Cell) []string {
	first := repeats[0]
	sum := first.Cost
	if len(repeats) > 1 {
		costs := make([]results.Cost, len(repeats))
		for i, c := range repeats {
			costs[i] = *c.Cost
		}
		sum = results.MeanCost(costs)
	}
	s := first.Plan.Shape
	return []string{
		words.Clip(first.Plan.Target.Name, 16), s.RateColumn(), s.SizeText(), fmt.Sprint(s.Connections), among(repeats, 50), among(repeats, 99),
		amount(sum.NodesCores, one), amount(sum.NodesCPUNS, cpuTime...), amount(sum.WrittenBytes, data...), amount(sum.CancelledBytes, data...), amount(float(sum.ResidentBytes), data...),
		amount(sum.ClientCPUNS, cpuTime...),
	}
}

// among writes a percentile of all repeats in ms.
func among(repeats []*results.Cell, percentile float64) string {
	d, _ := answer.Merged(repeats, "response")
	return format.Value(d, percentile)
}

func nodes(d *document.Document, cells []*results.Cell) {
	t := document.Table{Head: []string{"cell", "node", "CPU s", "memory", "read", "written", "cancelled", "processes"}, Align: "llr"}
	for _, c := range cells {
		for _, n := range c.Nodes {
			t.Rows = append(t.Rows, []string{
				c.Plan.String(), n.Node, amount(float(n.CPUNS), unit{1e9, ""}), amount(float(n.ResidentBytes), data...), amount(float(n.ReadBytes), data...),
				amount(float(n.WrittenBytes), data...), amount(float(n.CancelledBytes), data...), fmt.Sprint(n.Processes),
			})
		}
	}
	d.Say("Usage of each node over the window.")
	d.Show(t)
}

type unit struct {
	size float64
	name string
}

var (
	one     = unit{1, ""}
	cpuTime = []unit{{1e6, " ms"}, {1e3, " µs"}}
	data    = []unit{{1 << 30, " GiB"}, {1 << 20, " MiB"}, {1 << 10, " KiB"}, {1, " B"}}
)

// amount writes a quantity with three digits, in the first unit that is not larger or else in the
// last; - if it is unknown.
func amount(v *float64, units ...unit) string {
	if v == nil {
		return "-"
	}
	u := units[len(units)-1]
	if i := slices.IndexFunc(units, func(u unit) bool { return *v >= u.size }); i >= 0 {
		u = units[i]
	}
	switch n := *v / u.size; {
	case n >= 100:
		return fmt.Sprintf("%.0f", n) + u.name
	case n >= 10:
		return fmt.Sprintf("%.1f", n) + u.name
	default:
		return strings.TrimSuffix(fmt.Sprintf("%.2f", n), ".00") + u.name
	}
}

// float converts a number, which may be unknown.
func float(n *int64) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}
