package report

import (
	"fmt"
	"math"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/results"
)

// costs shows the cost of a message at each rate beside its latency: a row for each shape of a
// target, over all repeats, and with details one for each node of a cell.
func costs(d *document.Document, cells []*results.Cell, details bool) {
	var ids []string
	of := make(map[string][]*results.Cell)
	for _, c := range cells {
		if id := c.Plan.SharedID(); c.Cost != nil {
			if of[id] == nil {
				ids = append(ids, id)
			}
			of[id] = append(of[id], c)
		}
	}
	if len(ids) == 0 {
		return
	}
	d.Say("Cost of a message: processor time of the target's nodes, data that they wrote to files, and processor time of brokerbench.")
	t := document.Table{Head: []string{"target", "rate/s", "size", "conn", "p50", "p99", "cores", "CPU/msg", "written/msg", "memory", "client CPU/msg"}, Align: "lr"}
	for _, id := range ids {
		t.Rows = append(t.Rows, costRow(of[id]))
	}
	d.ShowFitting(t, "conn", "p50")
	if details {
		nodes(d, cells)
	}
}

// costRow shows the repeats of a cell.
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
		format.Clip(first.Plan.Target.Name, 16), s.Rate.Column(), words.Size(s.Size), fmt.Sprint(s.Connections), among(repeats, 50), among(repeats, 99),
		format.InUnit(sum.NodesCores, 1, ""), format.CPUTime(sum.NodesCPUNS), format.Bytes(sum.WrittenBytes), format.Memory(sum.ResidentBytes), format.CPUTime(sum.ClientCPUNS),
	}
}

// among writes a percentile in ms: the geometric mean of several repeats.
func among(repeats []*results.Cell, percentile float64) string {
	if len(repeats) == 1 {
		return format.Value(repeats[0].Response, percentile)
	}
	logs := 0.0
	for _, c := range repeats {
		row, _ := c.Response.At(percentile)
		v, ok := row.Value()
		if !ok || v <= 0 {
			return "?"
		}
		logs += math.Log(float64(v))
	}
	return words.Millis(time.Duration(math.Exp(logs / float64(len(repeats)))))
}

// nodes shows the usage of each node of each cell.
func nodes(d *document.Document, cells []*results.Cell) {
	t := document.Table{Head: []string{"cell", "node", "CPU s", "memory", "read", "written", "processes"}, Align: "llr"}
	for _, c := range cells {
		for _, n := range c.Nodes {
			t.Rows = append(t.Rows, []string{
				c.ID, n.Node, format.InUnit(format.Float(n.CPUNS), 1e9, ""), format.Memory(n.ResidentBytes), format.Bytes(format.Float(n.ReadBytes)), format.Bytes(format.Float(n.WrittenBytes)), format.Integer(n.Processes),
			})
		}
	}
	d.Say("Usage of each node over the window.")
	d.Show(t)
}
