package plot_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/report/plot"
	"github.com/brokerbench/brokerbench/internal/resultstest"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// broken is a cell of so many seconds with three nodes, of which the second dies.
func broken(target string, seconds int) resultstest.Cell {
	return resultstest.Cell{
		Target: target, Rate: 10, Seconds: stalled(10, seconds, 99, time.Millisecond), Nodes: resultstest.ThreeNodes(),
		Change: func(c *results.Cell) {
			c.Faults = []results.Fault{{
				Plan: plan.Fault{At: 5 * time.Second, Do: plan.Kill, Node: "2"}, Nodes: []string{"2"}, BeganNS: 5e9, BrokenNS: 5e9 + 1, HealedNS: new(int64(10e9)),
			}}
		},
	}
}

// nodes reads what the nodes of sources did.
func nodes(t *testing.T, sources []source.Source) (all []input.Nodes, common string) {
	t.Helper()
	names, common := source.Names(sources)
	for i, s := range sources {
		n, err := input.NewNodes(s, names[i])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	return all, common
}

func TestNodesOverTime(t *testing.T) {
	all, common := nodes(t, find(t, resultstest.Write(t, "nodes", broken("kafka", 14))))
	svg := drawn(t, "nodes.svg", must(t)(plot.NodesOverTime(all, common, plot.Options{})))
	if strings.Contains(svg, "Read from disks") {
		t.Error("there is a panel of what was read, which is nothing")
	}
}

// A dead node has two lines in each panel, before and after, and none in between.
func TestADeadNodeHasAGap(t *testing.T) {
	all, _ := nodes(t, find(t, resultstest.Write(t, "nodes", broken("kafka", 14))))
	lines := func(n input.Nodes) int {
		n.Events = nil
		svg := svgOf(t, must(t)(plot.NodesOverTime([]input.Nodes{n}, "", plot.Options{})))
		return strings.Count(svg, "stroke-dasharray:6.75,2.25") // the second style
	}
	whole := all[0]
	whole.Nodes = append([]input.Node(nil), whole.Nodes...)
	whole.Nodes[1] = input.Node{Name: "2", Spans: whole.Nodes[0].Spans}
	if got, want := lines(all[0]), lines(whole)+3; got != want {
		t.Errorf("%d lines, want %d: one more in each of three panels", got, want)
	}
}

// The nodes of several targets have their targets' colours and names.
func TestNodesOfSeveralTargets(t *testing.T) {
	all, common := nodes(t, find(t, resultstest.Write(t, "nodes", broken("kafka", 6), broken("nats", 6))))
	svg := svgOf(t, must(t)(plot.NodesOverTime(all, common, plot.Options{Targets: []string{"kafka", "nats"}})))
	wantTexts(t, svg, "kafka 1", "nats 3", "kafka", "nats")
	for _, hue := range []string{"stroke:#0072B2", "stroke:#D55E00"} {
		if n := strings.Count(svg, hue); n != 3+1 {
			t.Errorf("%d lines of %s, want those of node 1 in three panels and in the legend", n, hue)
		}
	}
	if n := strings.Count(svg, ">CPU (cores)<"); n != 2 {
		t.Errorf("%d panels of CPU, want one for each cell", n)
	}
}

// A long run is drawn with as many points as a short one, and nothing is lost of it.
func TestNodesOfALongRunAreFew(t *testing.T) {
	cell := broken("kafka", 5)
	cell.Seconds = make([][]time.Duration, 5000)
	cell.Seconds[0] = []time.Duration{time.Millisecond}
	all, _ := nodes(t, find(t, resultstest.Write(t, "long", cell)))
	for i, node := range all[0].Nodes {
		ran, cpu := int64(0), int64(0)
		for _, s := range node.Spans {
			if ran += s.RanNS; s.RanNS > 0 {
				cpu += *s.CPUNS
			}
		}
		want := int64(5000)
		if i == 1 {
			want -= 5
		}
		if len(node.Spans) > 1200 || len(node.Spans) < 600 || ran != want*1e9 || cpu != want*int64(i+1)*1e8 {
			t.Errorf("node %s: %d stretches, %d ns with %d ns of CPU time", node.Name, len(node.Spans), ran, cpu)
		}
	}
}

func TestNodesThatCannotBeDrawn(t *testing.T) {
	sources := find(t, resultstest.Write(t, "nodes", broken("kafka", 6), resultstest.Cell{Target: "nats", Rate: 10, Seconds: stalled(10, 6, 99, time.Millisecond)}))
	if _, err := input.NewNodes(sources[1], ""); !errors.Is(err, input.ErrNoNodes) || !errors.Is(err, input.ErrInput) {
		t.Errorf("nobody knew the nodes: %v", err)
	}
	if _, err := input.NewNodes(find(t, "testdata/wrk2.txt")[0], ""); !errors.Is(err, input.ErrInput) || !strings.Contains(err.Error(), "a file has no nodes") {
		t.Errorf("a file: %v", err)
	}
	all, _ := nodes(t, sources[:1])
	many, unknown := all[0], all[0]
	many.Nodes, unknown.Nodes = nil, []input.Node{{Name: "pod", Spans: []input.NodeSpan{{ToNS: 1e9, NodeSpan: results.NodeSpan{RanNS: 1e9}}}}}
	for i := range 36 {
		many.Nodes = append(many.Nodes, input.Node{Name: fmt.Sprint(i), Spans: all[0].Nodes[0].Spans})
	}
	for want, list := range map[string][]input.Nodes{
		"36 nodes": {many}, "42 panels of nodes: at most 40 fit": slices.Repeat(all[:1], 14),
		"nothing is known": {unknown},
	} {
		if _, err := plot.NodesOverTime(list, "", plot.Options{}); !errors.Is(err, input.ErrInput) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
