package html_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/brokerbench/brokerbench/results"
)

// painted says of each chart how many colours its canvas has, and how many pixels
// are not transparent.
const painted = `[...document.querySelectorAll("figure.chart")].map((f) => {
	const canvas = f.querySelector(".uplot canvas");
	const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
	return {name: f.dataset.chart, colours: new Set(pixels).size, pixels: pixels.filter((p) => p !== 0).length};
})`

func TestChartsAreDrawn(t *testing.T) {
	path, _ := write(t, newStore(t, "four", four()...))
	for _, scheme := range []string{"light", "dark"} {
		t.Run(scheme, func(t *testing.T) {
			b := open(t, path, scheme, 1360, 900)
			var charts []struct {
				Name            string
				Colours, Pixels int
			}
			b.eval(painted, &charts)
			if len(charts) != 7 {
				t.Errorf("%d charts, want 7: %v", len(charts), charts)
			}
			for _, c := range charts {
				if c.Colours < 20 || c.Pixels < 2000 {
					t.Errorf("%s has %d colours on %d pixels: it is all but blank", c.Name, c.Colours, c.Pixels)
				}
			}
			var background string
			b.eval("getComputedStyle(document.body).backgroundColor", &background)
			if want := map[string]string{"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 27)"}[scheme]; background != want {
				t.Errorf("the page is %s, want %s", background, want)
			}
			b.screenshot("page-" + scheme)
		})
	}
}

func TestTableSortsAndFilters(t *testing.T) {
	b := show(t, "light", newStore(t, "four", four()...))
	column := func(n int) (fields []string) {
		b.eval(fmt.Sprintf(`[...document.querySelectorAll(".cells tbody tr")].map((tr) => tr.children[%d].textContent)`, n), &fields)
		return fields
	}
	header := func(name string) {
		b.run(fmt.Sprintf(`[...document.querySelectorAll(".cells th button")].find((b) => b.textContent === %q).click()`, name))
	}
	for _, tt := range []struct{ action, want string }{
		{"", "calm stalled lossy calm"},
		{"target", "calm calm lossy stalled"},
		{"target", "stalled lossy calm calm"},
		{"max", "calm calm stalled lossy"},
		{"not done", "calm stalled calm lossy"},
		{"verdict", "calm calm stalled lossy"},
	} {
		if tt.action != "" {
			header(tt.action)
		}
		if got := strings.Join(column(0), " "); got != tt.want {
			t.Errorf("sorted by %q: %s, want %s", tt.action, got, tt.want)
		}
	}
	b.do(chromedp.SendKeys(chromedp.CSS(`input[type="search"]`), "calm 4,000"))
	if got := strings.Join(column(1), " "); got != "4,000" {
		t.Errorf("filtered: rates %s, want 4,000", got)
	}
}

// Every chart of the timeline can be saved.
func TestDownloads(t *testing.T) {
	b := show(t, "dark", newStore(t, "four", four()...))
	var charts []string
	b.eval(`[...document.querySelectorAll("figure.chart")].map((f) => f.dataset.chart)`, &charts)
	for _, chart := range charts {
		if rows, width := b.saved(chart); len(rows) < 3 || width < 800 {
			t.Errorf("%s: %d rows, a picture %d pixels wide", chart, len(rows), width)
		}
	}
}

// On a narrow screen nothing sticks out.
func TestNarrow(t *testing.T) {
	path, _ := write(t, newStore(t, "four", four()...))
	for _, width := range []int64{400, 800, 1360} {
		b := open(t, path, "light", width, 800)
		var wide int64
		if b.eval("document.documentElement.scrollWidth", &wide); wide > width {
			t.Errorf("the page is %d wide on a screen of %d", wide, width)
		}
		b.screenshot(fmt.Sprintf("wide-%d", width))
	}
}

// Names from outside are shown as they are, and nothing of them runs.
func TestHostileNamesAreText(t *testing.T) {
	b := show(t, "light", hostileStore(t))
	var page struct {
		Pwned  bool
		Images int
		Name   string
	}
	b.eval(`({pwned: "pwned" in window, images: document.images.length, name: document.querySelector("button.open").textContent})`, &page)
	if page.Pwned || page.Images != 0 || page.Name != hostile {
		t.Errorf("%+v", page)
	}
}

// Cells without a log, or without resources, or that were not measured at all.
func TestPagesOfLittle(t *testing.T) {
	bare := newStore(t, "bare", four()[:2]...)
	for _, name := range []string{"intervals.hlog", "resources.json"} {
		paths, _ := filepath.Glob(filepath.Join(bare.Dir(), "cells", "*", name))
		for _, path := range paths {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	none := newStore(t, "none", four()[:1]...)
	editRun(t, none, func(run *results.Run) {
		run.Cells = []results.Entry{{ID: "first", Error: "connection refused"}, {ID: "second"}}
	})
	for _, store := range []*results.Store{bare, none, newStore(t, "empty")} {
		path, _ := write(t, store)
		open(t, path, "light", 1000, 800).screenshot("little-" + filepath.Base(store.Dir())[16:])
	}
	b := show(t, "dark", newStore(t, "before", four()...), newStore(t, "after", four()...), none)
	var figures int
	if b.eval(`document.querySelectorAll("#percentiles figure").length`, &figures); figures != 2 {
		t.Errorf("%d charts of percentiles, want one for each shape", figures)
	}
	b.screenshot("side-by-side")
}
