package html_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/results"
)

// What is brushed in the page has the percentiles that package histogram computes
// from the same lines of the log.
func TestBrushingIsExact(t *testing.T) {
	store := newStore(t, "four", four()...)
	b := show(t, "light", store)
	for i, folder := range folders(t, store) {
		b.openCell(i)
		for _, drag := range []struct {
			chart    string
			from, to float64
		}{{"timeline", 0.45, 0.72}, {"heatmap", 0.31, 0.33}, {"cpu", 0.95, 0.02}} {
			b.drag(drag.chart, drag.from, drag.to)
			compareSpan(t, b, folder)
		}
	}
	b.openCell(1)
	b.drag("timeline", 0.4, 0.7)
	b.run("document.getElementById('span-title').scrollIntoView()")
	b.screenshot("span")
}

// The same by keyboard.
func TestBrushingByKeyboard(t *testing.T) {
	store := newStore(t, "four", four()...)
	first := folders(t, store)[0]
	b := show(t, "light", store)
	b.do(chromedp.Focus(chromedp.CSS(`[data-chart$="timeline"] .plot`)), chromedp.KeyEvent(kb.Home))
	for range 4 {
		b.do(chromedp.KeyEvent(kb.ArrowRight))
	}
	b.do(chromedp.KeyEvent(kb.ArrowRight, chromedp.KeyModifiers(chromedp.ModifierShift)), chromedp.KeyEvent(kb.ArrowRight, chromedp.KeyModifiers(chromedp.ModifierShift)))
	if from, to := compareSpan(t, b, first); from != 4 || to != 6 {
		t.Errorf("span %d to %d, want 4 to 6", from, to)
	}
	b.do(chromedp.KeyEvent(kb.Escape))
	var span string
	if b.eval(`document.querySelector("[data-span]").dataset.span`, &span); span != "" {
		t.Errorf("after Escape the span is %s", span)
	}
	b.run(`const set = (id, v) => { const e = document.getElementById(id); e.value = v; e.dispatchEvent(new Event("change")); }; set("span-from", 3); set("span-to", 5)`)
	if from, to := compareSpan(t, b, first); from != 3 || to != 4 {
		t.Errorf("span %d to %d, want 3 to 4", from, to)
	}
}

// compareSpan reads the table of the span that is chosen and compares it with the
// log.
func compareSpan(t *testing.T, b *tab, folder *results.CellFolder) (first, last int) {
	t.Helper()
	var page struct {
		Span string
		Rows []struct {
			Percentile float64
			NS         []int64
		}
	}
	b.eval(`(() => { const table = document.querySelector("[data-span]"); return {
		span: table.dataset.span,
		rows: [...table.querySelectorAll("[data-percentile]")].map((th) => ({
			percentile: +th.dataset.percentile, ns: [...th.parentElement.querySelectorAll("td")].slice(0, 2).map((td) => +(td.dataset.ns ?? 0)),
		}))}; })()`, &page)
	if _, err := fmt.Sscanf(page.Span, "%d-%d", &first, &last); err != nil || len(page.Rows) != 9 {
		t.Fatalf("span %q of %d rows: %v", page.Span, len(page.Rows), err)
	}
	cell, err := folder.Read()
	if err != nil {
		t.Fatal(err)
	}
	for k, tag := range []string{"response", "service"} {
		limit := []results.Distribution{cell.Response, cell.Service}[k].MaxNS
		h := spanOfLog(t, folder, tag, first, last)
		for _, row := range page.Rows {
			if want := min(int64(h.Quantile(row.Percentile)), limit); row.NS[k] != want {
				t.Errorf("%s of seconds %d to %d, p%v: the page says %d ns, package histogram %d ns", tag, first, last, row.Percentile, row.NS[k], want)
			}
		}
	}
	return first, last
}

// spanOfLog adds up the lines of a tag from one second to another.
func spanOfLog(t *testing.T, folder *results.CellFolder, tag string, first, last int) *histogram.Histogram {
	t.Helper()
	sum := histogram.New()
	_, err := source.Source{Path: folder.Dir(), Cell: new(results.Cell)}.Intervals(func(e histogram.Entry) error {
		if second := int(e.Start / time.Second); e.Tag != tag || second < first || second > last {
			return nil
		}
		return sum.Merge(e.Histogram)
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}
