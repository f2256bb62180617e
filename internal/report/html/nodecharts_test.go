package html_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/brokerbench/brokerbench/internal/resultstest"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// broken is a cell of three nodes, of which the second is killed at 5 s of the log, and back
// at 10 s.
func broken() measurement {
	return measurement{
		target: "kafka", rate: 1000, window: 12, nodes: resultstest.ThreeNodes(),
		change: func(c *results.Cell) {
			c.Faults = []results.Fault{{
				Plan: plan.Fault{At: 3 * time.Second, Do: plan.Kill, Node: "2"}, Nodes: []string{"2"}, BeganNS: 5e9, BrokenNS: 5e9 + 1, HealedNS: new(int64(10e9)),
			}}
		},
	}
}

// Below the timeline is a panel for each quantity with a line for each node. One that was dead
// has a gap there, and what is not known is said. A cell whose nodes nobody knew has none.
func TestNodesOverTime(t *testing.T) {
	b := show(t, "light", newStore(t, "nodes", broken(), measurement{target: "nats", rate: 1000, window: 3}))
	var titles []string
	if b.eval(`[...document.querySelectorAll("#nodes .title")].map((e) => e.textContent)`, &titles); !slices.Equal(titles, []string{"CPU of each node", "Memory of each node", "Written to files by each node"}) {
		t.Errorf("%q: nothing was read, so there is no panel of it", titles)
	}
	for chart, want := range map[string][3]string{
		"nodes-cpu":     {"from_s,to_s,node 1,node 2,node 3", "4,5,0.1,0.2,0.3", "5,6,0.1,,0.3"},
		"nodes-memory":  {"from_s,to_s,node 1,node 2,node 3", "10,11,268435456,536870912,805306368", "9,10,268435456,,805306368"},
		"nodes-written": {"from_s,to_s,node 1,node 2", "4,5,1048576,2097152", "7,8,1048576,"},
	} {
		var saved []string
		for _, row := range b.csv(chart) {
			saved = append(saved, strings.Join(row, ","))
		}
		if len(saved) != 1+14 || saved[0] != want[0] || !slices.Contains(saved, want[1]) || !slices.Contains(saved, want[2]) {
			t.Errorf("%s: %q, want %q", chart, saved, want)
		}
	}
	var remarks string
	b.eval(`document.getElementById("node-remarks").textContent`, &remarks)
	if want := "Not known: bytes written of node 3; fsyncs, which Linux does not count for a process."; remarks != want {
		t.Errorf("%q, want %q", remarks, want)
	}
	b.screenshot("nodes")
	shareTheSpan(t, b)
	b.openCell(1)
	var inside int
	if b.eval(`document.getElementById("nodes").children.length`, &inside); inside != 0 {
		t.Errorf("%d elements of nodes, where nobody knew them", inside)
	}
}

// In the gap of a node its colour is not drawn; before it and after it it is. Where the fault
// began and where it was healed there are lines.
func TestADeadNodeHasAGap(t *testing.T) {
	alone := broken()
	all := alone.nodes
	alone.nodes = func(second int64) []results.NodeUsage { return all(second)[1:2] }
	b := show(t, "dark", newStore(t, "nodes", alone))
	var drawn []bool
	b.eval(`(() => {
		const figure = document.querySelector('[data-chart$="nodes-cpu"]'), canvas = figure.querySelector("canvas"), over = figure.querySelector(".u-over");
		const ratio = devicePixelRatio, ink = (name) => {
			const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
			return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
		};
		const ctx = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", {willReadFrequently: true});
		ctx.drawImage(canvas, 0, 0);
		return [[4], [6], [7], [8], [9], [12], [5, "--bad"], [10, "--bad"], [8, "--bad"]].map(([second, name]) => {
			const want = ink(name ?? "--hue-0-0"), near = (p, i) => p[i + 3] > 200 && want.every((v, k) => Math.abs(v - p[i + k]) < 24);
			const x = Math.round((over.offsetLeft + over.offsetWidth * second / 14) * ratio);
			const pixels = ctx.getImageData(x - 3, 0, 7, canvas.height).data;
			for (let i = 0; i < pixels.length; i += 4) if (near(pixels, i)) return true;
			return false;
		});
	})()`, &drawn)
	if want := []bool{true, false, false, false, false, true, true, true, false}; !slices.Equal(drawn, want) {
		t.Errorf("drawn %v, want %v", drawn, want)
	}
}

// shareTheSpan wants that the panels of nodes have the cursor and the span of the timeline, by
// mouse and by keyboard, and that the table of the nodes follows.
func shareTheSpan(t *testing.T, b *tab) {
	t.Helper()
	row := func() (fields []string) {
		b.eval(`[...document.querySelectorAll("table.nodes tbody tr:nth-child(2) > *")].map((e) => e.textContent)`, &fields)
		return fields
	}
	// Of the window's 12 s it was dead for 5; 0.2 cores are those while it ran.
	if got, want := row(), []string{"node 2", "0.200 cores", "0.200 cores", "512 MiB", "2.00 MiB/s", "2.00 MiB/s", "0 B/s", "0 B/s", "5 s"}; !slices.Equal(got, want) {
		t.Errorf("window: %q, want %q", got, want)
	}
	var box struct{ X, Y, Width float64 }
	b.run(`document.querySelector('[data-chart$="nodes-cpu"]').scrollIntoView({block: "center"})`)
	b.eval(`document.querySelector('[data-chart$="nodes-cpu"] .u-over').getBoundingClientRect()`, &box)
	b.do(chromedp.MouseEvent("mouseMoved", box.X+box.Width*6.5/14, box.Y+20))
	b.run(`await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))`)
	var legends []string
	b.eval(`["timeline", "nodes-cpu", "nodes-memory"].map((name) => [...document.querySelectorAll('[data-chart$="' + name + '"] .legend output')].at(1).textContent)`, &legends)
	if legends[0] == "" || legends[1] != "no process" || legends[2] != "no process" {
		t.Errorf("at the seventh second the legends say %q", legends)
	}
	b.do(chromedp.Focus(chromedp.CSS(`[data-chart$="nodes-memory"] .plot`)), chromedp.KeyEvent(kb.Home))
	for range 6 {
		b.do(chromedp.KeyEvent(kb.ArrowRight))
	}
	b.do(chromedp.KeyEvent(kb.ArrowRight, chromedp.KeyModifiers(chromedp.ModifierShift)))
	if got := row(); got[1] != "–" || got[8] != "2 s" {
		t.Errorf("span of two seconds without a process: %q", got)
	}
	b.drag("nodes-cpu", 0.01, 0.34)
	if got := row(); got[1] != "0.200 cores" || got[8] != "0 s" {
		t.Errorf("span before it died: %q", got)
	}
	var widths []float64
	b.eval(`[...document.querySelectorAll("#timeline .u-select, #nodes .u-select")].map((e) => Math.round(e.getBoundingClientRect().width))`, &widths)
	if len(widths) < 8 || slices.Min(widths) < 100 || slices.Max(widths)-slices.Min(widths) > 1 {
		t.Errorf("the span is %v pixels wide", widths)
	}
}

// Of more nodes than can be told apart the page shows the first, and says so.
func TestManyNodesOnThePage(t *testing.T) {
	many := measurement{target: "kafka", rate: 100, window: 12, nodes: func(second int64) (used []results.NodeUsage) {
		for n := range int64(40) {
			used = append(used, results.NodeUsage{Node: fmt.Sprintf("kafka-broker-of-zone-%d", n), Processes: 1, CPUNS: new((n + second%3) * 1e7)})
		}
		return used
	}}
	b := show(t, "dark", newStore(t, "many", many))
	var page struct {
		Remarks    string
		Rows, Keys int
	}
	b.eval(`({remarks: document.getElementById("node-remarks").textContent, rows: document.querySelectorAll("table.nodes tbody tr").length,
		keys: document.querySelectorAll('[data-chart$="nodes-cpu"] .legend li').length})`, &page)
	want := "The first 35 of 40 nodes: nodes.csv has all. Not known: memory of any node; bytes written of any node; bytes read of any node; fsyncs"
	if !strings.HasPrefix(page.Remarks, want) || page.Rows != 35 || page.Keys != 35 {
		t.Errorf("%+v", page)
	}
	b.screenshot("nodes-many")
}
