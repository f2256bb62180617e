package html_test

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
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

// Repeats are one row with what summary.json says; it opens, and each repeat is a cell
// of its own.
func TestRepeatsAreOneRowThatOpens(t *testing.T) {
	store := repeatedStore(t)
	b := show(t, "light", store)
	rows := func() (rows [][]string) {
		b.eval(`[...document.querySelectorAll(".cells tbody tr")].map((tr) => [...tr.children].map((td) => td.innerText.replaceAll("\n", " ")))`, &rows)
		return rows
	}
	closed := rows()
	if len(closed) != 1 || !strings.HasPrefix(closed[0][0], "calm") || !strings.HasSuffix(closed[0][0], "3 repeats") {
		t.Fatalf("rows %q", closed)
	}
	var responses []results.Distribution
	for _, folder := range folders(t, store) {
		c, err := folder.Read()
		if err != nil {
			t.Fatal(err)
		}
		responses = append(responses, c.Response)
	}
	p50, _ := results.Pooled(responses).At(50)
	if want := millis(*p50.ValueNS); !strings.Contains(closed[0][1], want) {
		t.Errorf("p50 is %q, want %q", closed[0][1], want)
	}
	b.screenshot("repeats")
	b.run(`document.querySelector(".unfold").click()`)
	opened := rows()
	if len(opened) != 4 || opened[3][0] != "repeat 3" {
		t.Fatalf("opened: %q", opened)
	}
	for i, folder := range folders(t, store) {
		c, err := folder.Read()
		if err != nil {
			t.Fatal(err)
		}
		if row, _ := c.Response.At(50); opened[i+1][1] != millis(*row.ValueNS) {
			t.Errorf("repeat %d: p50 %q, want %s", i+1, opened[i+1][1], millis(*row.ValueNS))
		}
	}
	b.settle(`document.querySelectorAll("tr.repeat .open")[2].click()`)
	var head, current string
	b.eval(`document.querySelector("#cell h2").textContent`, &head)
	b.eval(`[...document.querySelectorAll(".cells tr[aria-current] .open")].map((e) => e.textContent).join()`, &current)
	if !strings.HasSuffix(head, "repeat 3 of 3") || current != "calm,repeat 3" {
		t.Errorf("opened %q, marked %q", head, current)
	}
	b.screenshot("repeats-opened")
	b.run(`document.querySelector(".unfold").click()`)
	if again := rows(); len(again) != 1 {
		t.Errorf("closed again: %q", again)
	}
}

// csv returns what a chart saves as CSV. The name of the chart may have a beginning.
func (b *tab) csv(chart string) [][]string {
	b.t.Helper()
	var text string
	b.eval(fmt.Sprintf(`(() => { const make = URL.createObjectURL; let saved; URL.createObjectURL = (blob) => ((saved = blob.text()), make.call(URL, blob));
		document.querySelector('[data-chart$=%q] .save').click(); URL.createObjectURL = make; return saved; })()`, chart), &text)
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) < 5 {
		b.t.Fatalf("%q: %v", text, err)
	}
	return rows
}

// saved returns what a chart saves: the rows of its CSV, and how wide its picture is.
func (b *tab) saved(chart string) (rows [][]string, width int) {
	b.t.Helper()
	b.eval(fmt.Sprintf(`(async () => { const make = URL.createObjectURL; let saved;
		const picture = new Promise((done) => (URL.createObjectURL = (blob) => (done(blob), make.call(URL, blob))));
		document.querySelectorAll('[data-chart=%q] .save')[1].click(); const image = await createImageBitmap(await picture);
		URL.createObjectURL = make; return image.width; })()`, chart), &width)
	return b.csv(chart), width
}

// millis writes as the command does.
func millis(ns int64) string { return words.Millis(time.Duration(ns)) }
