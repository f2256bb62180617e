package html_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/compare/ab"
	"github.com/brokerbench/brokerbench/internal/stats"
	"github.com/brokerbench/brokerbench/results"
)

// abStores are what ab leaves: two runs, each with the result of all pairs.
func abStores(t *testing.T) (a, b *results.Store) {
	t.Helper()
	low, high := 1.15, 1.31
	result := ab.Result{
		Schema: ab.Schema, Confidence: 0.95,
		A: ab.Side{Run: "kafka://h:9092?acks=1 --rate 2000"}, B: ab.Side{Run: "kafka://h:9092?acks=all --rate 2000"},
		Cells: []ab.Cell{{A: "kafka", B: "kafka", Pairs: 8, Rows: []ab.Row{
			{Percentile: 50, Ratio: stats.PairRatio{Ratio: 1.01}, Answer: ab.NoDifference, ANS: new(int64(2e6)), BNS: new(int64(2e6))},
			{Percentile: 99, Ratio: stats.PairRatio{Ratio: 1.23, Low: &low, High: &high, Shown: 1}, Answer: ab.Slower, ANS: new(int64(5e6)), BNS: new(int64(6e6))},
		}}},
	}
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	a, b = newStore(t, "ab-a", four()[0]), newStore(t, "ab-b", four()[0])
	for _, side := range []*results.Store{a, b} {
		if err := os.WriteFile(filepath.Join(side.Dir(), "ab.json"), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return a, b
}

// The page of an ab opens with the ratio, its interval, the verdict and the option that differs.
func TestAnABIsAnsweredByItsRatio(t *testing.T) {
	first, second := abStores(t)
	for _, width := range []int64{390, 1280, 1920} {
		path, _ := write(t, first, second)
		b := open(t, path, "dark", width, 900)
		var page struct {
			Rows   []string
			Differ string
			First  bool
			Width  int64
		}
		b.eval(`({rows: [...document.querySelectorAll("#pairs tbody tr")].map((tr) => [...tr.children].map((td) => td.innerText.trim()).join(" | ")),
			differ: document.querySelector("#pairs dl").innerText.replaceAll("\n", " "), first: document.querySelector("main > section:not([hidden])").id === "pairs",
			width: document.documentElement.scrollWidth})`, &page)
		if len(page.Rows) != 2 || page.Rows[1] != "p99 | B slower | ×1.23 (1.15–1.31) | 5.00 | 6.00" || !strings.Contains(page.Rows[0], "no difference shown | ×1.01") {
			t.Errorf("rows %q", page.Rows)
		}
		if !page.First || !strings.HasSuffix(page.Differ, "they differ in acks=1 → acks=all") || page.Width > width {
			t.Errorf("%+v", page)
		}
		b.screenshot("ab")
	}
}

// The badge above the answer counts the numbers that can be used; no green verdict is above others.
func TestTheBadgeCountsUsableNumbers(t *testing.T) {
	b := show(t, "light", newStore(t, "four", four()...))
	var badges []string
	b.eval(`[...document.querySelectorAll("#summary .badge")].map((e) => e.className + ": " + e.textContent)`, &badges)
	if len(badges) != 3 || badges[0] != "badge limited: 8 of 16 numbers usable" || badges[1] != "badge suspect: suspect" || badges[2] != "badge invalid: invalid" {
		t.Errorf("badges %q", badges)
	}
}
