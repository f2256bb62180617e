package plot

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"github.com/brokerbench/brokerbench/report/palette"
	"github.com/brokerbench/brokerbench/results"
	"github.com/brokerbench/brokerbench/results/source"
)

// A Nodes is what each node of a cell's target did over time.
type Nodes struct {
	Name    string
	Target  string // as that of a Curve
	Nodes   []Node // in the order of the file
	Events  []Event
	Verdict results.Verdict
}

// A Node is one of them.
type Node struct {
	Name  string
	Spans []NodeSpan
}

// A NodeSpan is what a node did from one moment to another, in nanoseconds from the log's
// start.
type NodeSpan struct {
	FromNS, ToNS int64
	results.NodeSpan
}

// mostSpans is how many stretches of a node are drawn, however long the run was: more than
// a chart has pixels.
const mostSpans = 1200

// ErrNoNodes is the error of a cell whose nodes nobody knew.
var ErrNoNodes = errors.New("brokerbench did not know the nodes of its target (docs/systems.md says how it does)")

// NewNodes reads what the nodes of a cell did. The error is [ErrNoNodes] if they were not
// known, and [ErrInput] of a file.
func NewNodes(s source.Source, name string) (Nodes, error) {
	if s.Cell == nil {
		return Nodes{}, fmt.Errorf("%s: %w: a file has no nodes (want the folder of a run or of cells)", s.Path, ErrInput)
	}
	list, err := results.OpenCell(s.Path).ReadNodes()
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && len(list) == 0:
		return Nodes{}, fmt.Errorf("%s: %w: %w", s.Path, ErrInput, ErrNoNodes)
	case err != nil:
		return Nodes{}, err
	}
	n := Nodes{Name: name, Target: targetOf(s), Events: eventsOf(s), Verdict: s.Cell.Verdict}
	for _, each := range list {
		i := slices.IndexFunc(n.Nodes, func(known Node) bool { return known.Name == each.Node })
		if i < 0 {
			i, n.Nodes = len(n.Nodes), append(n.Nodes, Node{Name: each.Node})
		}
		n.Nodes[i].Spans = append(n.Nodes[i].Spans, NodeSpan{each.FromNS, each.ToNS, each.Span()})
	}
	for i := range n.Nodes {
		n.Nodes[i].Spans = fewer(n.Nodes[i].Spans)
	}
	return n, nil
}

// fewer makes one of neighbours where there are more than mostSpans.
func fewer(spans []NodeSpan) (drawn []NodeSpan) {
	each := (len(spans) + mostSpans - 1) / mostSpans
	for together := range slices.Chunk(spans, max(each, 1)) {
		sum := together[0]
		for _, next := range together[1:] {
			sum.ToNS, sum.NodeSpan = next.ToNS, sum.Plus(next.NodeSpan)
		}
		drawn = append(drawn, sum)
	}
	return drawn
}

// NodesOverTime draws for each cell a panel of each quantity, with a line for each node and a
// line at each event. A node without a process has a gap. Quantities that no node of a cell
// knows have no panel, and the legend says so.
func NodesOverTime(all []Nodes, subtitle string, o Options) (*Chart, error) {
	k := inksOf(o.Theme)
	p := picture{title: "Nodes over time", subtitle: subtitle, xTitle: "Time since the start of the log (s)"}
	targets := palette.NewTargets(o.Targets)
	x, most := nodeAxes(all)
	for _, n := range all {
		if len(n.Nodes) > palette.Lines {
			return nil, fmt.Errorf("%w: %d nodes of %s: at most %d lines can be told apart (the page has the first, nodes.csv all)", ErrInput, len(n.Nodes), n.Name, palette.Lines)
		}
		hue := targets.Hue(n.Target)
		for i, node := range n.Nodes {
			p.names = named(p.names, entry{text: n.label(node, all), style: k.stroke(palette.Peer(hue, i))})
		}
		p.panels = append(p.panels, n.panels(x, most, hue, k)...)
	}
	if len(p.panels) > maxNodePanels {
		return nil, fmt.Errorf("%w: %d panels of nodes: at most %d fit below each other (name fewer cells)", ErrInput, len(p.panels), maxNodePanels)
	}
	if len(p.panels) == 0 {
		return nil, fmt.Errorf("%w: nothing is known of what the nodes did", ErrInput)
	}
	p.panels[len(p.panels)-1].bare = false
	p.keys = nodeKeys(all, k)
	return newChart(p, o)
}

// maxNodePanels is how many panels fit below each other, which are low: those of eight cells.
const maxNodePanels = 40

// named appends a name, unless it is there.
func named(names []entry, e entry) []entry {
	if slices.ContainsFunc(names, func(known entry) bool { return known.text == e.text }) {
		return names
	}
	return append(names, e)
}

// label names a node in the legend: those of a ready-made target are called 1, 2 and 3.
func (n Nodes) label(node Node, all []Nodes) string {
	if slices.ContainsFunc(all, func(other Nodes) bool { return other.Target != n.Target }) {
		return n.Target + " " + node.Name
	}
	return "node " + node.Name
}

// panels are those of a cell; only the first has its name.
func (n Nodes) panels(x axis, most map[string]float64, hue int, k inks) (list []panel) {
	name := n.Name
	for _, q := range nodeQuantities() {
		y, title := q.axis(most[q.name])
		body := panel{name: name, yTitle: title, x: x, y: y, height: 90, bare: true}
		known := false
		for i, node := range n.Nodes {
			lines := stepped(node.levels(q.in(most[q.name])), k.stroke(palette.Peer(hue, i)))
			body.marks, known = append(body.marks, lines...), known || len(lines) > 0
		}
		if !known || q.seldom && most[q.name] == 0 {
			continue
		}
		body.marks = append(body.marks, moments(n.Events, x, y, k)...)
		list, name = append(list, body), ""
	}
	return list
}

// levels are a quantity of the node in each stretch in which it is known.
func (n Node) levels(value func(results.NodeSpan) *float64) (list []level) {
	for _, s := range n.Spans {
		if v := value(s.NodeSpan); v != nil && s.RanNS+s.GoneNS >= leastSpan {
			list = append(list, level{float64(s.FromNS) / 1e9, float64(s.ToNS) / 1e9, *v})
		}
	}
	return list
}

// leastSpan is how long an interval must be for the system's clocks. The last one may not
// be: it has the replies that came after the last second.
const leastSpan = 200e6

// nodeAxes returns the axis of time, and the most of each quantity.
func nodeAxes(all []Nodes) (x axis, most map[string]float64) {
	from, to := math.Inf(1), 0.0
	most = make(map[string]float64)
	for _, n := range all {
		for _, node := range n.Nodes {
			for _, s := range node.Spans {
				from, to = math.Min(from, float64(s.FromNS)/1e9), math.Max(to, float64(s.ToNS)/1e9)
			}
			for _, q := range nodeQuantities() {
				for _, l := range node.levels(q.value) {
					most[q.name] = math.Max(most[q.name], l.value)
				}
			}
		}
	}
	return linear(from, to, 12, false), most
}

// nodeKeys explains gaps, and what is not drawn.
func nodeKeys(all []Nodes, k inks) (keys []entry) {
	var events []Series
	var doubts []judged
	gone := false
	for _, n := range all {
		events, doubts = append(events, Series{Name: n.Name, Events: n.Events}), append(doubts, judged{n.Name, n.Verdict})
		for _, node := range n.Nodes {
			gone = gone || slices.ContainsFunc(node.Spans, func(s NodeSpan) bool { return s.GoneNS > 0 })
		}
	}
	keys = eventKeys(events, k)
	explain(&keys, gone, entry{text: "gap: no process of the node was there"})
	for _, q := range nodeQuantities() {
		if of := q.unknown(all); of != "" {
			keys = append(keys, entry{text: "not known: " + q.name + " of " + of})
		}
	}
	keys = append(keys, entry{text: "not known: fsyncs, which Linux does not count for a process"})
	return append(keys, verdictKeys("cell", doubts)...)
}
