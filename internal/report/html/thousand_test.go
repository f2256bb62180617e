package html_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/longtest"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// thousand returns a run of a thousand cells of 10 s: ten targets and a hundred
// shapes. Their files are those of one cell.
func thousand(t testing.TB) *results.Store {
	t.Helper()
	store := newStore(t, "thousand", measurement{target: "a", rate: 1000, window: 8})
	from := folders(t, store)[0]
	cell, err := from.Read()
	if err != nil {
		t.Fatal(err)
	}
	var entries []results.Entry
	for i := range 1000 {
		cell.ID = fmt.Sprintf("cell-%d", i)
		cell.Plan.Target.Name = fmt.Sprintf("target-%d", i%10)
		cell.Plan.Shape.Rate, cell.Plan.Shape.Size = schedule.Rate(1000*(1+i/10%10)), 256<<(i/100)
		cell.Response.Percentiles[0].ValueNS = new(int64(100_000 + 100*i))
		probed(20*time.Microsecond, 60*time.Microsecond, time.Duration(100_000+100*i), time.Duration(200_000+100*i), 0)(cell)
		folder, err := store.CreateCell(cell.ID)
		if err != nil {
			t.Fatal(err)
		}
		link := func(name string) error {
			return os.Link(filepath.Join(from.Dir(), name), filepath.Join(folder.Dir(), name))
		}
		if err := errors.Join(link(results.IntervalsFile), link(results.ResourcesFile), link("response.hgrm"), link("service.hgrm"), folder.Save(cell)); err != nil {
			t.Fatal(err)
		}
		entries = append(entries, results.Entry{ID: cell.ID, Verdict: cell.Verdict})
	}
	editRun(t, store, func(run *results.Run) { run.Cells = entries })
	return store
}

// A thousand cells open, sort, filter and draw; how long that takes is logged.
func TestThousandCells(t *testing.T) {
	longtest.Only(t)
	chromium(t)
	began := time.Now()
	path, text := write(t, thousand(t))
	t.Logf("written in %v: %d bytes", time.Since(began).Round(time.Millisecond), len(text))
	b := open(t, path, "light", 1360, 900)
	report := func(what, statements string) {
		var took float64
		b.eval("(async () => { const began = performance.now(); "+statements+`;
			await new Promise((r) => requestAnimationFrame(() => setTimeout(r))); return performance.now() - began; })()`, &took)
		t.Logf("%s: %.0f ms", what, took)
	}
	var opened, interactive float64
	b.eval(`performance.getEntriesByName("ready")[0].startTime`, &opened)
	b.eval(`performance.getEntriesByType("navigation")[0].domInteractive`, &interactive)
	t.Logf("read %.0f ms, drawn %.0f ms after it was opened", interactive, opened)
	report("sorted", `[...document.querySelectorAll(".cells th button")].find((b) => b.textContent === "p50").click()`)
	report("all charts", `document.querySelectorAll("main :is(#forest, #probes, #percentiles, #rates) > p button").forEach((b) => b.click()); `+settled)
	var charts int
	if b.eval(`document.querySelectorAll("#probes svg").length`, &charts); charts != 50 {
		t.Errorf("%d charts of probes, want 50 with 20 cells each", charts)
	}
	report("filtered", `const e = document.querySelector("input[type=search]"); e.value = "target-3 4,000"; e.dispatchEvent(new Event("input"))`)
	var rows int
	if b.eval(`document.querySelectorAll(".cells tbody tr").length`, &rows); rows != 10 {
		t.Errorf("%d rows are left, want 10", rows)
	}
	report("another cell", `document.querySelectorAll(".cells button.open")[5].click(); `+settled)
	b.screenshot("thousand")
}
