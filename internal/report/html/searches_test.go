package html_test

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/report/html"
	"github.com/brokerbench/brokerbench/internal/search"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// objective reads one that is right.
func objective(t *testing.T, text string) plan.Objective {
	t.Helper()
	o, err := plan.ParseObjective(text)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// searchedStore is what a search of two targets leaves.
func searchedStore(t *testing.T) *results.Store {
	t.Helper()
	store := newStore(t, "searched", four()...)
	row := func(slo string, status search.Status, rate, above int) search.Row {
		return search.Row{Objective: objective(t, slo), Status: status, Rate: rate, Above: above, Over: &search.Evidence{Measured: "7.5ms"}}
	}
	undecided := row("p99<5ms", search.NotDecided, 2000, 0)
	undecided.Needs = 42 * time.Minute
	document := search.NewDocument(search.Config{}, []search.Result{
		{Target: "calm", Shape: plan.Shape{Size: 1024, Connections: 1}, Rows: []search.Row{row("p99<5ms", search.Found, 40_000, 44_000), row("max<5ms", search.NotKept, 0, 500)}},
		{Target: "stalled", Shape: plan.Shape{Size: 1024, Connections: 1}, Rows: []search.Row{undecided, row("max<5ms", search.AtMax, 1000, 0)}},
	})
	text, err := json.Marshal(document)
	if err == nil {
		err = os.WriteFile(filepath.Join(store.Dir(), "search.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// A search is answered by the rate of each SLO, instead of by its probes.
func TestASearchIsAnsweredByRates(t *testing.T) {
	b := show(t, "light", searchedStore(t))
	var page struct {
		Rows   []string
		Forest bool
		SLOs   string
	}
	b.eval(`({rows: [...document.querySelectorAll("#searches tbody tr")].map((tr) => [...tr.children].map((td) => td.innerText.replaceAll("\n", " ").trim()).join(" | ")),
		forest: !document.getElementById("answer").hidden, slos: document.getElementById("slo-summary").innerText})`, &page)
	want := []string{
		"calm | 40,000 not at 44,000 (7.5ms) | not kept not even at 500 (7.5ms)",
		"stalled | ≥ 2,000 not decided; it would take about 42 min | ≥ 1,000 the highest rate that was allowed",
	}
	if strings.Join(page.Rows, "\n") != strings.Join(want, "\n") || page.Forest {
		t.Errorf("%+v", page)
	}
	if got := strings.Join(strings.Fields(page.SLOs), " "); got != "SLOs 2 passed 1 missed 1 not decided" {
		t.Errorf("SLOs: %q", got)
	}
	b.screenshot("search")
}

// What another version found is left out; what is broken is an error.
func TestSearchesOfOthersAndBrokenOnes(t *testing.T) {
	store := searchedStore(t)
	path := filepath.Join(store.Dir(), "search.json")
	for text, bad := range map[string]bool{`{"schema":"brokerbench/search/1"}`: false, `{`: true, `{"schema":"brokerbench/search/2","searches":3}`: true} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := html.Write(io.Discard, store); (err != nil) != bad || bad && !strings.Contains(err.Error(), "search.json") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The header counts the SLOs of all cells.
func TestTheHeaderCountsSLOs(t *testing.T) {
	with := func(outcomes ...results.Outcome) func(*results.Cell) {
		return func(c *results.Cell) {
			for _, o := range outcomes {
				c.SLOs = append(c.SLOs, results.SLO{Objective: objective(t, "p99<5ms"), Outcome: o, Text: "1 ms"})
			}
		}
	}
	b := show(t, "dark", newStore(t, "slos",
		measurement{target: "a", rate: 100, window: 2, change: with(results.Passed, results.Missed)},
		measurement{target: "b", rate: 100, window: 2, change: with(results.Passed, results.Inconclusive)},
	))
	var text string
	if b.eval(`document.getElementById("slo-summary").innerText`, &text); strings.Join(strings.Fields(text), " ") != "SLOs 2 passed 1 missed 1 not decided" {
		t.Errorf("SLOs: %q", text)
	}
}
