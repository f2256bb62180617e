package html_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// marks are those of one row of the forest plot, in pixels.
type marks struct {
	Target      string
	Names       string
	Dot         float64
	Bar         [2]float64 // from, width
	Max         float64
	Floor       float64 // its width
	Hollow      []string
	Open, Cross bool
	Drawn       int // whiskers that can be seen
	Hue         string
}

const readForest = `[...document.querySelectorAll("#forest .answer")].map((answer) => [...answer.querySelectorAll("g.row")].map((row, i) => {
	const number = (s, name) => +(row.querySelector(s)?.getAttribute(name) ?? 0);
	return {
		target: row.dataset.target, names: row.querySelector(".name").textContent, hue: row.style.getPropertyValue("--ink"),
		dot: number(".p50", "cx"), bar: [number(".body", "x"), number(".body", "width")], max: number(".max", "x1"),
		floor: +(answer.querySelectorAll("rect.floor")[i]?.getAttribute("width") ?? 0),
		hollow: [...row.querySelectorAll(".hollow")].map((e) => e.getAttribute("class")),
		drawn: [...row.querySelectorAll(".whisker")].filter((e) => getComputedStyle(e).stroke !== "none").length, open: !!row.querySelector(".whisker.unbounded"), cross: !!row.querySelector(".cross"),
	};
}))`

// forestStore has what a forest plot must tell apart: a limited p99, an interval without
// an upper bound, and a p99 that missing messages make unknown.
func forestStore(t *testing.T) *results.Store {
	limited := func(c *results.Cell) {
		c.Judge([]results.Problem{{Code: results.CodeHiccups, Severity: results.Valid, Limits: []results.Limit{{Series: "response", Percentiles: []float64{99}}}}})
	}
	open := func(c *results.Cell) {
		for i := range c.Response.Percentiles {
			c.Response.Percentiles[i].HighNS = nil
		}
	}
	return newStore(t, "forest",
		measurement{target: "lossy", rate: 2000, window: 4, lost: 400},
		measurement{target: "limited", rate: 2000, window: 4, typical: 300 * time.Microsecond, change: limited},
		measurement{target: "open", rate: 2000, window: 4, typical: 100 * time.Microsecond, change: open},
		measurement{target: "plain", rate: 4000, window: 4},
	)
}

// The forest plot stands above the table: shape by shape, the lowest p99 first, and what
// is unknown last.
func TestForestComesFirstAndIsSorted(t *testing.T) {
	b := show(t, "light", forestStore(t))
	var shapes [][]marks
	b.eval(readForest, &shapes)
	var got []string
	for _, rows := range shapes {
		var names []string
		for _, row := range rows {
			names = append(names, row.Target)
		}
		got = append(got, strings.Join(names, " "))
	}
	if want := []string{"open limited lossy", "plain"}; !slices.Equal(got, want) {
		t.Errorf("shapes %q, want %q", got, want)
	}
	var above bool
	if b.eval(`document.getElementById("forest").getBoundingClientRect().bottom <= document.querySelector("table.cells").getBoundingClientRect().top`, &above); !above {
		t.Error("the forest plot does not stand above the table")
	}
	var says []string
	b.eval(`[...document.querySelectorAll("#forest .answer")].map((e) => e.querySelector(".says").innerText)`, &says)
	if len(says) != 2 || !strings.Contains(says[0], "open") || !strings.Contains(says[0], "lossy is not ranked") || strings.Contains(says[1], "plain") {
		t.Errorf("sentences %q", says)
	}
	b.screenshot("forest")
}

// Marks are where the numbers are, on a logarithmic axis, and as sure as the numbers.
func TestForestDrawsTheNumbers(t *testing.T) {
	store := forestStore(t)
	b := show(t, "light", store)
	var shapes [][]marks
	b.eval(readForest, &shapes)
	cells := make(map[string]*results.Cell)
	for _, folder := range folders(t, store) {
		c, err := folder.Read()
		if err != nil {
			t.Fatal(err)
		}
		cells[c.Plan.Target.Name] = c
	}
	for _, row := range slices.Concat(shapes...) {
		c := cells[row.Target]
		p50, _ := c.Response.At(50)
		p99, _ := c.Response.At(99)
		if unknown := p99.ValueNS == nil; unknown != row.Cross || row.Floor <= 0 || row.Dot == 0 {
			t.Errorf("%s: %+v", row.Target, row)
		}
		if hollow := fmt.Sprint(row.Hollow); strings.Contains(hollow, "body") != !p99.Usable() || strings.Contains(hollow, "p50") != !p50.Usable() {
			t.Errorf("%s: hollow %s, p50 %s, p99 %s", row.Target, hollow, p50.Use, p99.Use)
		}
		if (row.Drawn == 1) != (p99.LowNS != nil && p99.ValueNS != nil) {
			t.Errorf("%s: %d whiskers", row.Target, row.Drawn)
		}
		if row.Open != (p99.LowNS != nil && p99.HighNS == nil) {
			t.Errorf("%s: open %v", row.Target, row.Open)
		}
		if p99.ValueNS == nil {
			continue
		}
		log := func(ns int64) float64 { return math.Log(float64(ns)) }
		want := (log(*p99.ValueNS) - log(*p50.ValueNS)) / (log(c.Response.MaxNS) - log(*p50.ValueNS))
		if got := row.Bar[1] / (row.Max - row.Dot); math.Abs(row.Bar[0]-row.Dot) > 0.01 || math.Abs(got-want) > 0.01 {
			t.Errorf("%s: the bar is %.3f of the way to the maximum, want %.3f: %+v", row.Target, got, want, row)
		}
	}
}

// At every width all marks are inside, and a click opens the cell.
func TestForestFits(t *testing.T) {
	path, _ := write(t, forestStore(t))
	for _, width := range []int64{390, 800, 1280, 1920} {
		b := open(t, path, "dark", width, 900)
		var out []string
		b.eval(`[...document.querySelectorAll("#forest svg")].flatMap((svg) => { const box = svg.getBoundingClientRect();
			return [...svg.querySelectorAll("text, circle, rect, path, line")].filter((e) => { const r = e.getBoundingClientRect();
				return r.left < box.left - 1 || r.right > Math.min(box.right, innerWidth) + 1; }).map((e) => e.outerHTML); })`, &out)
		for _, e := range out {
			t.Errorf("at %d px %s sticks out", width, e)
		}
		b.settle(`document.querySelector('g.row[data-target="plain"]').dispatchEvent(new MouseEvent("click", {bubbles: true}))`)
		var head string
		if b.eval(`document.querySelector("#cell h2").textContent`, &head); !strings.HasPrefix(head, "plain 4,000/s") {
			t.Errorf("a click opened %q", head)
		}
	}
}

// Many shapes do not bury the table: the rest is shown when it is asked for.
func TestForestIsBounded(t *testing.T) {
	var list []measurement
	for i := range 30 {
		for _, target := range []string{"a", "b", "c"} {
			list = append(list, measurement{target: target, rate: 100 * (i + 1), window: 1})
		}
	}
	b := show(t, "light", newStore(t, "many", list...))
	rows := func() (n int) {
		b.eval(`document.querySelectorAll("#forest g.row[data-target]").length`, &n)
		return n
	}
	if n := rows(); n != 39 {
		t.Errorf("%d rows, want 39", n)
	}
	b.run(`[...document.querySelectorAll("#forest button")].find((b) => b.textContent === "Show all 30 shapes").click()`)
	if n := rows(); n != 90 {
		t.Errorf("%d rows of all, want 90", n)
	}
}
