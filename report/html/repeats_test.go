package html_test

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// repeatedStore makes a run of one cell that was repeated three times.
func repeatedStore(t *testing.T) *results.Store {
	t.Helper()
	var list []measurement
	for i, typical := range []time.Duration{150, 100, 120} {
		list = append(list, measurement{target: "calm", rate: 2000, repeat: i + 1, window: 4, typical: typical * time.Microsecond})
	}
	store := newStore(t, "thrice", list...)
	var cells []*results.Cell
	for _, folder := range folders(t, store) {
		c, err := folder.Read()
		if err != nil {
			t.Fatal(err)
		}
		cells = append(cells, c)
	}
	merged := histogram.New()
	merged.Record(time.Millisecond)
	if err := store.SaveSummary(results.NewSummary(cells, merged), merged); err != nil {
		t.Fatal(err)
	}
	editRun(t, store, func(run *results.Run) {
		run.Plan.Repeat, run.Plan.Targets, run.Plan.Shapes = 3, run.Plan.Targets[:1], []plan.Shape{cells[0].Plan.Shape}
	})
	return store
}

// What summary.json says stands in a row of its own, as the command writes it.
func TestRepeatsAreSummedUp(t *testing.T) {
	store := repeatedStore(t)
	b := show(t, "light", store)
	var rows [][]string
	b.eval(`[...document.querySelectorAll("tr[data-repeats]")].map((tr) => [...tr.children].map((td) => td.textContent))`, &rows)
	if len(rows) != 1 || len(rows[0]) != 8 {
		t.Fatalf("rows %q", rows)
	}
	sum, err := store.Summary("calm-2000-1024B-c1-fopen")
	if err != nil {
		t.Fatal(err)
	}
	p50, _ := sum.Spread(50)
	if want := millis(*p50.GeoMeanNS) + " (" + millis(*p50.LowNS) + "–" + millis(*p50.HighNS) + ")"; !strings.HasPrefix(rows[0][4], want) {
		t.Errorf("p50 is %q, want %q…", rows[0][4], want)
	}
	if got := strings.Join(rows[0][:4], "|"); got != "calm 2,000/s · 1 KiB · 1 connection|"+string(sum.Verdict)+"|3|0" {
		t.Errorf("the row begins with %q", got)
	}
	b.run(`document.getElementById("repeats-section").scrollIntoView()`)
	b.screenshot("repeats")
}

// millis writes about four digits, as the page does.
func millis(ns int64) string { return words.Millis(time.Duration(ns)) }

// A run without repeats has no such section.
func TestNoRepeats(t *testing.T) {
	b := show(t, "light", newStore(t, "four", four()...))
	var hidden []bool
	b.eval(`["#repeats-section", 'nav a[href="#repeats-section"]'].map((s) => document.querySelector(s).hidden)`, &hidden)
	if len(hidden) != 2 || !hidden[0] || !hidden[1] {
		t.Errorf("hidden %v", hidden)
	}
}
