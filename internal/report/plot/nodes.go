package plot

import (
	"fmt"
	"math"
	"slices"

	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/report/palette"
)

// NodesOverTime draws for each cell a panel of each quantity, with a line for each node and a
// line at each event. A node without a process has a gap. Quantities that no node of a cell
// knows have no panel, and the legend says so.
func NodesOverTime(all []input.Nodes, subtitle string, o Options) (*Chart, error) {
	k := inksOf(o.Theme)
	p := picture{title: "Nodes over time", subtitle: subtitle, xTitle: "Time since the start of the log (s)"}
	targets := palette.NewTargets(o.Targets)
	x, most := nodeAxes(all)
	for _, n := range all {
		if len(n.Nodes) > palette.Lines {
			return nil, fmt.Errorf("%w: %d nodes of %s: at most %d lines can be told apart (the page has the first, nodes.csv all)", input.ErrInput, len(n.Nodes), n.Name, palette.Lines)
		}
		hue := targets.Hue(n.Target)
		for i, node := range n.Nodes {
			e := entry{text: nodeLabel(n, node, all), style: k.stroke(palette.Peer(hue, i))}
			known := slices.ContainsFunc(p.names, func(known entry) bool { return known.text == e.text })
			explain(&p.names, !known, e)
		}
		p.panels = append(p.panels, nodePanels(n, x, most, hue, k)...)
	}
	if len(p.panels) > maxNodePanels {
		return nil, fmt.Errorf("%w: %d panels of nodes: at most %d fit below each other (name fewer cells)", input.ErrInput, len(p.panels), maxNodePanels)
	}
	if len(p.panels) == 0 {
		return nil, fmt.Errorf("%w: nothing is known of what the nodes did", input.ErrInput)
	}
	p.keys = nodeKeys(all, k)
	return newChart(p, o)
}

// maxNodePanels is how many panels fit below each other, which are low: those of eight cells.
const maxNodePanels = 40

// nodeLabel names a node in the legend: those of a ready-made target are called 1, 2 and 3.
func nodeLabel(n input.Nodes, node input.Node, all []input.Nodes) string {
	if slices.ContainsFunc(all, func(other input.Nodes) bool { return other.Target != n.Target }) {
		return n.Target + " " + node.Name
	}
	return "node " + node.Name
}

// nodePanels are those of a cell; only the first has its name.
func nodePanels(n input.Nodes, x axis, most map[string]float64, hue int, k inks) (list []panel) {
	name := n.Name
	for _, q := range nodeQuantities() {
		title, unit := q.unit(most[q.name])
		body := panel{name: name, yTitle: title, x: x, y: linear(0, most[q.name]/unit, 3, true), height: 90}
		for i, node := range n.Nodes {
			body.marks = append(body.marks, stepped(nodeLevels(node, q, unit), k.stroke(palette.Peer(hue, i)))...)
		}
		if len(body.marks) == 0 || q.seldom && most[q.name] == 0 {
			continue
		}
		body.marks = append(body.marks, moments(n.Events, x, body.y, k)...)
		list, name = append(list, body), ""
	}
	return list
}

// nodeLevels are a quantity of the node, in a unit, in each stretch in which it is known.
func nodeLevels(n input.Node, q nodeQuantity, unit float64) (list []level) {
	for _, s := range n.Spans {
		if v := q.value(s.NodeSpan); v != nil && s.RanNS+s.GoneNS >= leastSpan {
			list = append(list, level{float64(s.FromNS) / 1e9, float64(s.ToNS) / 1e9, *v / unit})
		}
	}
	return list
}

// leastSpan is how long an interval must be for the system's clocks. The last one may not
// be: it has the replies that came after the last second.
const leastSpan = 200e6

// nodeAxes returns the axis of time, and the most of each quantity.
func nodeAxes(all []input.Nodes) (x axis, most map[string]float64) {
	from, to := math.Inf(1), 0.0
	most = make(map[string]float64)
	for _, n := range all {
		for _, node := range n.Nodes {
			for _, s := range node.Spans {
				from, to = math.Min(from, float64(s.FromNS)/1e9), math.Max(to, float64(s.ToNS)/1e9)
			}
			for _, q := range nodeQuantities() {
				for _, l := range nodeLevels(node, q, 1) {
					most[q.name] = math.Max(most[q.name], l.value)
				}
			}
		}
	}
	return linear(from, to, 12, false), most
}

// nodeKeys explains gaps, and names the quantities that are not drawn.
func nodeKeys(all []input.Nodes, k inks) (keys []entry) {
	gone := func(s input.NodeSpan) bool { return s.GoneNS > 0 }
	gap := false
	for _, n := range all {
		gap = gap || slices.ContainsFunc(n.Nodes, func(node input.Node) bool { return slices.ContainsFunc(node.Spans, gone) })
	}
	keys = eventKeys(all, k)
	explain(&keys, gap, entry{text: "gap: no process of the node was there"})
	for _, q := range nodeQuantities() {
		if of := q.unknown(all); of != "" {
			keys = append(keys, entry{text: "not known: " + q.name + " of " + of})
		}
	}
	keys = append(keys, entry{text: "not known: fsyncs, which Linux does not count for a process"})
	return append(keys, verdictKeys("cell", all)...)
}
