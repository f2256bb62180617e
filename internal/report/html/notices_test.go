package html_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// What was interrupted, and what was not measured and why, is said above the answer.
func TestAnInterruptedRunSaysSo(t *testing.T) {
	cut := func(c *results.Cell) {
		c.Interrupted = true
		c.Judge([]results.Problem{{Code: results.CodeInterrupted, Severity: results.Invalid, Text: "interrupted: 2000 messages were due until then"}})
	}
	store := newStore(t, "cut", measurement{target: "calm", rate: 2000, repeat: 1, window: 4}, measurement{target: "calm", rate: 2000, repeat: 2, window: 1, change: cut}, measurement{target: "once", rate: 2000, window: 4})
	editRun(t, store, func(run *results.Run) {
		run.Interrupted = true
		run.Cells = append(run.Cells, results.Entry{ID: "dead-1", Error: "refused"}, results.Entry{ID: "calm-3"}, results.Entry{ID: "dead-2", Error: "refused"})
	})
	b := show(t, "light", store)
	var page struct {
		Notices []string
		Repeats string
		Legend  []string
		Caption string
		Key     string
		Above   bool
		Badge   float64 // its height
	}
	b.eval(`({notices: [...document.querySelectorAll(".notice")].map((e) => e.textContent), repeats: document.querySelector(".unfold").textContent,
		legend: [...document.querySelectorAll("#percentiles text")].map((e) => e.textContent), badge: document.querySelector(".unmeasured .badge").offsetHeight,
		caption: document.querySelector(".cells caption").textContent, key: document.querySelector("#forest .key").textContent,
		above: document.querySelector(".notice").getBoundingClientRect().bottom < document.getElementById("answer").getBoundingClientRect().top})`, &page)
	want := []string{"Not the whole run (interrupted): 3 of 6 cells measured, 1 of them not to the end of its window.", "Not measured: dead-1 and 1 more cell: refused"}
	if !slices.Equal(page.Notices, want) || !page.Above {
		t.Errorf("notices %q, want %q; above %v", page.Notices, want, page.Above)
	}
	if page.Repeats != "2 repeats, 1 interrupted" || page.Badge > 24 || !slices.Contains(page.Legend, "calm") || !slices.Contains(page.Legend, "once") {
		t.Errorf("%+v", page)
	}
	if !strings.HasPrefix(page.Caption, "All that were measured: ") || !strings.HasSuffix(page.Caption, "of repeats: the percentile of all together, and below it its 95 % interval") {
		t.Errorf("caption %q", page.Caption)
	}
	if strings.Contains(page.Key, "cross") || !strings.Contains(page.Key, "shaded") { // nothing is missing, and there are floors
		t.Errorf("key %q", page.Key)
	}
	b.screenshot("interrupted")
}

// So is a run without an end; one that is whole has no notice.
func TestARunWithoutAnEndSaysSo(t *testing.T) {
	whole := newStore(t, "whole", four()[0])
	killed := newStore(t, "killed", four()[0])
	editRun(t, killed, func(run *results.Run) { run.Finished = time.Time{} })
	b := show(t, "light", whole, killed)
	var notices []string
	b.eval(`[...document.querySelectorAll(".notice")].map((e) => e.textContent)`, &notices)
	if want := []string{"killed: Not the whole run (it was killed, or still runs): 1 of 1 cell measured."}; !slices.Equal(notices, want) {
		t.Errorf("notices %q, want %q", notices, want)
	}
}

// The answer names what limits a percentile.
func TestTheAnswerNamesWhatLimitsIt(t *testing.T) {
	limit := func(c *results.Cell) {
		c.Judge([]results.Problem{{Code: results.CodeHiccups, Severity: results.Valid, Limits: []results.Limit{{Series: "response", Percentiles: []float64{50}}}}})
	}
	for change, want := range map[*func(*results.Cell)]string{nil: "", &limit: "limited by this machine at p50 → brokerbench doctor"} {
		m := measurement{target: "calm", rate: 2000, window: 8}
		if change != nil {
			m.change = *change
		}
		b := show(t, "light", newStore(t, "one", m))
		var hints string
		b.eval(`[...document.querySelectorAll("#forest > .hint:not(.key)")].map((e) => e.textContent).join()`, &hints)
		if !strings.HasPrefix(hints, want) || (want == "") != (hints == "") {
			t.Errorf("%q, want %q", hints, want)
		}
	}
}
