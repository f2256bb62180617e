package html_test

import (
	"encoding/csv"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
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
			if len(charts) != 10 { // overview, rate, eight of the cell
				t.Errorf("%d charts, want 10: %v", len(charts), charts)
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

func TestDownloads(t *testing.T) {
	b := show(t, "dark", newStore(t, "four", four()...))
	dir := b.downloads()
	var charts []string
	b.eval(`[...document.querySelectorAll("figure.chart")].map((f) => f.dataset.chart)`, &charts)
	for _, chart := range charts {
		for i := range 2 {
			b.run(fmt.Sprintf(`document.querySelectorAll('[data-chart=%q] .save')[%d].click()`, chart, i))
			b.do(chromedp.Sleep(100 * time.Millisecond))
		}
		rows, err := csv.NewReader(strings.NewReader(string(download(t, b, dir, chart+".csv")))).ReadAll()
		if err != nil || len(rows) < 3 {
			t.Errorf("%s.csv has %d rows: %v", chart, len(rows), err)
		}
		picture, err := png.Decode(strings.NewReader(string(download(t, b, dir, chart+".png"))))
		if err != nil || picture.Bounds().Dx() < 800 {
			t.Errorf("%s.png: %v", chart, err)
		}
	}
}

// downloads returns the folder into which the page saves.
func (b *tab) downloads() string {
	b.t.Helper()
	dir := b.t.TempDir()
	if _, err := chromedp.CallBrowser(b.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir,
	}); err != nil {
		b.t.Fatal(err)
	}
	return dir
}

// download waits for a file.
func download(t *testing.T, b *tab, dir, name string) []byte {
	t.Helper()
	for range 100 {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil && len(text) > 0 {
			return text
		}
		b.do(chromedp.Sleep(50 * time.Millisecond))
	}
	t.Fatalf("%s did not come", name)
	return nil
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
	b.settle(`[...document.querySelectorAll(".bar button")].find((b) => b.textContent === "all in the table").click()`)
	var curves int
	if b.eval(`document.querySelectorAll("#overview .legend li").length`, &curves); curves != 9 { // and the floor
		t.Errorf("%d items in the legend, want 9", curves)
	}
	b.screenshot("side-by-side")
}
