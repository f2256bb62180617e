package html_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// A view is what the reader sees of what the address keeps.
type view struct {
	Filter, Sorted, Cell, Span string
	Rows                       int
}

const readView = `(async () => { ` + settled + `; return {
	filter: document.querySelector("input[type=search]").value,
	sorted: [...document.querySelectorAll(".cells th[aria-sort]")].map((th) => th.textContent + " " + th.getAttribute("aria-sort")).join(),
	cell: document.querySelector("#cell h2")?.textContent ?? "", span: document.querySelector("[data-span]")?.dataset.span ?? "",
	rows: document.querySelectorAll(".cells tbody tr[data-series]").length,
}})()`

// Filter, order, cell and span are in the address: the back button and a reload bring
// them back.
func TestTheAddressKeepsTheView(t *testing.T) {
	b := show(t, "light", newStore(t, "four", four()...))
	look := func() (v view) {
		b.eval(readView, &v)
		return v
	}
	steps := []view{look()}
	for _, act := range []func(){
		func() { b.do(chromedp.SendKeys(chromedp.CSS(`input[type="search"]`), "calm")) },
		func() {
			b.run(`[...document.querySelectorAll(".cells th button")].find((b) => b.textContent === "p99").click()`)
		},
		func() { b.run(`document.querySelectorAll("button.open")[1].click()`) },
		func() { b.drag("timeline", 0.4, 0.7) },
	} {
		act()
		steps = append(steps, look())
	}
	last := steps[4]
	if last.Filter != "calm" || last.Sorted != "p99 ascending" || !strings.Contains(last.Cell, "4,000/s") || last.Span == "" || last.Rows != 2 {
		t.Fatalf("%+v", steps)
	}
	b.run(`document.documentElement.setAttribute("data-left", ""); location.reload()`)
	b.do(chromedp.WaitReady(chromedp.CSS("html[data-ready]:not([data-left])")))
	if got := look(); got != last {
		t.Errorf("after a reload %+v, want %+v", got, last)
	}
	for i := 3; i >= 0; i-- {
		b.settle(`const moved = new Promise((done) => addEventListener("popstate", done, {once: true})); history.back(); await moved`)
		if got := look(); got != steps[i] {
			t.Errorf("back at step %d: %+v, want %+v", i, got, steps[i])
		}
	}
}

// What the address says of a page that has no such thing is left aside.
func TestAWrongAddressIsHarmless(t *testing.T) {
	path, _ := write(t, newStore(t, "four", four()...))
	for _, fragment := range []string{"#cell=gone&span=3-5&sort=nothing", "#span=9-2", "#span=1-999", "#cells-section", "#%", "#filter=%E0"} {
		b := open(t, path+fragment, "light", 1000, 800)
		var v view
		if b.eval(readView, &v); !strings.HasPrefix(v.Cell, "calm") || v.Span != "" {
			t.Errorf("%s: %+v", fragment, v)
		}
	}
}

// Charts show what the table shows; where nothing is left the page says so.
func TestFilteringRedraws(t *testing.T) {
	b := show(t, "light", newStore(t, "four", four()...))
	filter := func(text string) (page struct {
		Forest, Curves []string
		Rates          bool
		Table          string
	},
	) {
		b.settle(fmt.Sprintf(`const e = document.querySelector("input[type=search]"); e.value = %q; e.dispatchEvent(new Event("input"))`, text))
		b.eval(`({forest: [...document.querySelectorAll("#forest g[data-target]")].map((g) => g.dataset.target),
			curves: [...document.querySelectorAll("#percentiles figure")].map((e) => e.id),
			rates: !document.getElementById("rates-section").hidden, table: document.querySelector(".cells tbody").textContent})`, &page)
		return page
	}
	if got := filter("stalled"); fmt.Sprint(got.Forest) != "[stalled]" || len(got.Curves) != 1 || got.Rates {
		t.Errorf("stalled: %+v", got)
	}
	if got := filter("calm"); fmt.Sprint(got.Forest) != "[calm calm]" || len(got.Curves) != 2 || !got.Rates {
		t.Errorf("calm: %+v", got)
	}
	got := filter("nobody")
	if len(got.Forest) != 0 || len(got.Curves) != 0 || got.Rates || !strings.HasPrefix(got.Table, "No cell matches “nobody”.") {
		t.Errorf("nobody: %+v", got)
	}
	b.screenshot("no-match")
	b.settle(`document.querySelector(".cells .none button").click()`)
	if got := filter(""); len(got.Forest) != 4 || len(got.Curves) != 2 {
		t.Errorf("all: %+v", got)
	}
}
