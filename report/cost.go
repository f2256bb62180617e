package report

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// costs shows what a message cost at each rate, beside its latency: a row for each shape of a
// target, its repeats taken together, and with details one for each node of a cell.
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
	d.Say("What a message cost: processor time of the target's nodes, what they wrote to files and sent, and processor time of brokerbench.")
	t := document.Table{Head: []string{"target", "rate/s", "size", "conn", "p50", "p99", "cores", "CPU/msg", "written/msg", "sent/msg", "memory", "client CPU/msg"}, Align: "lr"}
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
		clip(first.Plan.Target.Name, 16), s.Rate.Column(), words.Size(s.Size), fmt.Sprint(s.Connections), among(repeats, 50), among(repeats, 99),
		inUnit(sum.NodesCores, 1, ""), cpuTime(sum.NodesCPUNS), bytes(sum.WrittenBytes), bytes(sum.SentBytes), memory(sum.ResidentBytes), cpuTime(sum.ClientCPUNS),
	}
}

// among writes a percentile in ms: of several repeats the geometric mean.
func among(repeats []*results.Cell, percentile float64) string {
	if len(repeats) == 1 {
		return value(repeats[0].Response, percentile)
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

// nodes shows what each node of each cell used.
func nodes(d *document.Document, cells []*results.Cell) {
	t := document.Table{Head: []string{"cell", "node", "CPU s", "memory", "read", "written", "sent", "received", "processes"}, Align: "llr"}
	for _, c := range cells {
		for _, n := range c.Nodes {
			t.Rows = append(t.Rows, []string{
				c.ID, n.Node, inUnit(float(n.CPUNS), 1e9, ""), memory(n.ResidentBytes), bytes(float(n.ReadBytes)), bytes(float(n.WrittenBytes)), bytes(float(n.SentBytes)), bytes(float(n.ReceivedBytes)), integer(n.Processes),
			})
		}
	}
	d.Say("What each node used over the window.")
	d.Show(t)
}

// inUnit writes a quantity in a unit, with three digits; ? if it is unknown.
func inUnit(v *float64, unit float64, name string) string {
	if v == nil {
		return "?"
	}
	return digits(*v/unit) + name
}

// cpuTime writes nanoseconds; ? if they are unknown.
func cpuTime(ns *float64) string {
	if ns != nil && *ns >= 1e6 {
		return inUnit(ns, 1e6, " ms")
	}
	return inUnit(ns, 1e3, " µs")
}

// digits writes three digits that count, without an exponent.
func digits(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.2f", v), ".00")
}

// bytes writes an amount of data; ? if it is unknown.
func bytes(v *float64) string {
	switch {
	case v == nil:
		return "?"
	case *v >= 1<<30:
		return digits(*v/(1<<30)) + " GiB"
	case *v >= 1<<20:
		return digits(*v/(1<<20)) + " MiB"
	case *v >= 1<<10:
		return digits(*v/(1<<10)) + " KiB"
	}
	return digits(*v) + " B"
}

func memory(n *int64) string { return bytes(float(n)) }

func float(n *int64) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}

// costHead names what costFields writes.
func costHead() []string {
	return []string{"nodes_cores", "nodes_cpu_ns_per_message", "written_bytes_per_message", "sent_bytes_per_message", "nodes_resident_bytes", "client_cpu_ns_per_message"}
}

// costFields writes what a message cost; nothing of what is not known.
func costFields(c *results.Cell) []string {
	k := c.Cost
	if k == nil {
		return make([]string, len(costHead()))
	}
	return []string{known(k.NodesCores, number), known(k.NodesCPUNS, number), known(k.WrittenBytes, number), known(k.SentBytes, number), known(k.ResidentBytes, integer), known(k.ClientCPUNS, number)}
}
