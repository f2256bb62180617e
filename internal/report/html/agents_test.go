package html_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results"
)

// Each agent has a row, also one that was lost, and how far they are apart is said.
func TestAgentsOnThePage(t *testing.T) {
	one := func(name string, took time.Duration) results.Agent {
		sum := histogram.New()
		for range 1000 {
			sum.Record(took)
		}
		d := results.NewDistribution(sum, 0)
		return results.Agent{
			Name: name, Connections: 2, Environment: results.Environment{Host: "<b>" + name}, Clock: results.AgentClock{BoundNS: 40_000}, OfferedPerS: 100,
			Ledger: results.Ledger{Due: 1000, Done: 1000}, Response: d, Lag: d, Hiccup: &d, Floor: &results.Floor{Echo: results.FloorRun{Response: d}}, Verdict: results.Valid,
		}
	}
	shared := func(c *results.Cell) {
		c.Agents = []results.Agent{one("a1", time.Millisecond), one("a2", 9*time.Millisecond), {Name: "a3", Lost: "killed", Verdict: results.Invalid}}
		c.AgentSpread = results.AgentSpreads(c.Agents)
	}
	b := show(t, "light", newStore(t, "agents", measurement{target: "nats", rate: 2000, window: 6, change: shared}, measurement{target: "redis", rate: 2000, window: 6}))
	b.openCell(0)
	var page struct {
		Rows [][]string
		Head []string
		Text string
	}
	const look = `(() => { const texts = (of, s) => [...of.querySelectorAll(s)].map((e) => e.textContent.trim());
		return {rows: [...document.querySelectorAll(".agents tbody tr")].map((r) => texts(r, "th,td")), head: texts(document, ".agents thead th"), text: document.getElementById("cell").textContent} })()`
	b.eval(look, &page)
	if len(page.Rows) != 3 || len(page.Head) != 14 {
		t.Fatalf("%q %q", page.Rows, page.Head)
	}
	if want := []string{"a1", "<b>a1", "2", "100", "1,000", "1,000", "1.00", "1.00", "1.00", "1.00", "1.00", "1.00", "±0.0400", "valid"}; !slices.Equal(trusted(page.Rows[0]), want) {
		t.Errorf("%q, want %q", page.Rows[0], want)
	}
	if row := page.Rows[2]; !strings.Contains(row[0], "lost: killed") || row[5] != "–" || row[13] != "lost" {
		t.Errorf("%q", row)
	}
	if want := "3 machines measured this cell together: p50 from 1.00 ms (a1) to 9.00 ms (a2)"; !strings.Contains(page.Text, want) || !strings.Contains(page.Text, "they began within ±0.0400 ms") {
		t.Errorf("want %q: %s", want, page.Text)
	}
	b.openCell(1)
	b.eval(look, &page)
	if len(page.Rows) != 0 {
		t.Errorf("a cell that one process measured has agents: %q", page.Rows)
	}
}

// trusted leaves the marks of limited use out of a row.
func trusted(row []string) (list []string) {
	for _, text := range row {
		list = append(list, strings.TrimPrefix(text, "~"))
	}
	return list
}
