package html_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// Beside the brushed span stand its percentiles: those of the table below.
func TestTheSpanHasItsNumbersBesideIt(t *testing.T) {
	b := show(t, "light", newStore(t, "four", four()...))
	for _, drag := range [][2]float64{{0.3, 0.5}, {0.85, 0.99}, {0.01, 0.2}, {0.01, 0.99}} {
		b.drag("timeline", drag[0], drag[1])
		var page struct {
			Box, Table []string
			Inside     bool
		}
		b.eval(`(() => { const box = document.querySelector(".span-box"), over = box.parentElement.getBoundingClientRect(), r = box.getBoundingClientRect(); return {
			box: [...box.querySelectorAll("b")].map((e) => e.textContent), inside: !box.hidden && r.left >= over.left && r.right <= over.right + 1,
			table: ["50", "99", "99.9", "100"].map((p) => document.querySelector("[data-span] [data-percentile='" + p + "'] + td").textContent) }; })()`, &page)
		if !page.Inside || len(page.Box) != 4 || !slices.Equal(page.Box, page.Table) {
			t.Errorf("%v: %+v", drag, page)
		}
		b.screenshot(fmt.Sprintf("span-%v", drag[0]))
	}
}

var aNumber = regexp.MustCompile(`[0-9]+\.[0-9]+`) // whole numbers may have more digits

// No number has more digits than a histogram.
func TestNumbersHaveThreeDigits(t *testing.T) {
	store := newStore(t, "four", four()...)
	b := show(t, "light", store)
	b.drag("timeline", 0.3, 0.6)
	var fields []string
	b.eval(`[...document.querySelectorAll(".cells td[data-label^=p], .cells td[data-label=max], [data-span] td, #forest .value, .span-box b")].map((e) => e.textContent)`, &fields)
	if len(fields) < 80 {
		t.Errorf("%d fields", len(fields))
	}
	written := make(map[string]bool)
	for _, text := range fields {
		written[text] = true
		for _, number := range aNumber.FindAllString(text, -1) {
			if digits := strings.Trim(strings.ReplaceAll(number, ".", ""), "0"); len(digits) > 3 {
				t.Errorf("%q", text)
			}
		}
	}
	for _, folder := range folders(t, store) {
		c, err := folder.Read()
		if err != nil {
			t.Fatal(err)
		}
		if p50, _ := c.Response.At(50); !written[millis(*p50.ValueNS)] {
			t.Errorf("%s has no field %s, as the command writes it", c.ID, millis(*p50.ValueNS))
		}
	}
}

// The rest of a log after its last second is too short for percentiles, and a slow reply in
// it is no rise of p50; its maximum is shown.
func TestTheRestOfALogHasOnlyAMaximum(t *testing.T) {
	b := show(t, "light", newStore(t, "late", measurement{target: "calm", rate: 2000, window: 4, late: 90 * time.Millisecond}))
	rows := b.csv("-timeline")
	last, before := rows[len(rows)-1], rows[len(rows)-2]
	if got := strings.Join(rows[0][2:], " "); got != "max p99 p50" {
		t.Fatalf("columns %s", got)
	}
	if last[2] == "" || last[3] != "" || last[4] != "" || before[4] == "" {
		t.Errorf("the rest %v after %v", last, before)
	}
}

// What all rows have in common is said once; a valid row has no badge.
func TestTheTableSaysConstantsOnce(t *testing.T) {
	b := show(t, "light", newStore(t, "four", four()...))
	var page struct {
		Caption string
		Heads   []string
		Badges  []string
	}
	b.eval(`({caption: document.querySelector(".cells caption").textContent, heads: [...document.querySelectorAll(".cells thead th")].map((e) => e.textContent),
		badges: [...document.querySelectorAll(".cells tbody tr")].map((tr) => [...tr.querySelectorAll(".badge")].map((e) => e.textContent).join())})`, &page)
	if want := "All rows: 1 KiB · 1 connection · any number in flight · constant arrivals · the rate was reached"; page.Caption != want {
		t.Errorf("caption %q, want %q", page.Caption, want)
	}
	if got := strings.Join(page.Heads, " "); got != "target rate/s p50 p99 p99.9 p99.99 max service p99 not done verdict" {
		t.Errorf("columns %s", got)
	}
	if got := strings.Join(page.Badges, "|"); got != "|suspect|invalid|" { // invalid is last in its shape
		t.Errorf("badges %s", got)
	}
}

// wide is a run whose table has every column, with repeats, long names and objectives.
func wide(t *testing.T, name string) *results.Store {
	var list []measurement
	for i, m := range append(four(), four()...) {
		m.target, m.repeat, m.rate = m.target+" on another host", i/4+1, m.rate*10
		m.window, m.change = 1, func(c *results.Cell) {
			c.Plan.Shape.Size, c.Plan.Shape.Connections, c.Plan.Shape.InFlight = 1000+1000*(i%2), 1+i%2, 10*(i%2)
			c.ReachedPerS *= 0.9
			for k, o := range []results.Outcome{results.Passed, results.Missed, results.Inconclusive} {
				c.SLOs = append(c.SLOs, results.SLO{Objective: objective(t, fmt.Sprintf("p99<%dms", k+1)), Outcome: o})
			}
		}
		list = append(list, m)
	}
	return newStore(t, name, list...)
}

// On every usual screen the whole table is there; on a phone each row is a card.
func TestTheTableIsNotClipped(t *testing.T) {
	path, _ := write(t, wide(t, "before"), wide(t, "after"))
	for _, width := range []int64{1280, 1440, 1920} {
		b := open(t, path, "light", width, 900)
		var hidden int
		b.eval(`(() => { const box = document.querySelector(".table"); return box.scrollWidth - box.clientWidth; })()`, &hidden)
		b.screenshot(fmt.Sprintf("table-%d", width))
		if hidden > 0 {
			t.Errorf("at %d px %d px of the table are hidden", width, hidden)
		}
	}
	b := open(t, path, "light", 390, 800)
	b.screenshot("table-390")
	var card struct {
		Wide, Label, Head, Role string
		Out                     int
	}
	b.eval(`(() => { const td = document.querySelector(".cells td[data-label=p99]"), th = document.querySelector(".cells tbody th"); return {
		wide: getComputedStyle(td.parentElement).display, label: getComputedStyle(td, "::before").content, head: getComputedStyle(th).position, role: td.closest("table").getAttribute("role"),
		out: [...document.querySelectorAll(".cells tbody *")].filter((e) => e.getBoundingClientRect().right > innerWidth).length }; })()`, &card)
	if card.Wide != "grid" || card.Label != `attr(data-label)` && card.Label != `"p99"` || card.Out > 0 || card.Role != "table" {
		t.Errorf("%+v", card)
	}
}

// The first column stays when the table is scrolled.
func TestTheFirstColumnStays(t *testing.T) {
	path, _ := write(t, newStore(t, "four", four()...))
	b := open(t, path, "light", 640, 800)
	var moved float64
	b.eval(`(() => { const box = document.querySelector(".table"), th = document.querySelector(".cells tbody th"), before = th.getBoundingClientRect().left;
		box.scrollLeft = 200; return box.scrollLeft < 50 ? -1 : Math.abs(th.getBoundingClientRect().left - before); })()`, &moved)
	if moved < 0 || moved > 1 {
		t.Errorf("the first column moved by %v (-1: the table did not scroll)", moved)
	}
}
