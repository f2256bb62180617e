package report

import (
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// agents says how far the machines that measured a cell together agree, so that a slow
// client is seen at once; with details what each of them measured.
func agents(d *document.Document, cells []*results.Cell, details bool) {
	shared := slices.DeleteFunc(slices.Clone(cells), func(c *results.Cell) bool { return len(c.Agents) == 0 })
	if len(shared) == 0 {
		return
	}
	if !details {
		for _, c := range shared {
			d.Say(agentsSpread(c, nameOf(c, repeated(cells))))
		}
		return
	}
	for _, c := range shared {
		d.Say(agentsSpread(c, nameOf(c, repeated(cells))))
	}
	d.Say("What each agent measured of its part, in ms; start: how well the common start is known to it.")
	t := document.Table{Align: "llrrlr", Gap: 1, Head: []string{
		"target", "agent", "rate/s", "conn", "host", "p50", "p99", "p99.9", "max", "floor p99", "lag p99", "hiccup", "start", "done", "verdict",
	}}
	for _, c := range shared {
		for _, a := range c.Agents {
			t.Rows = append(t.Rows, agentRow(a, nameOf(c, repeated(cells))))
		}
	}
	d.Show(t)
}

// agentsSpread says in a line how far the agents of a cell are apart.
func agentsSpread(c *results.Cell, name string) string {
	text := fmt.Sprintf("%s %s %s: %s", name, c.Plan.Shape.Rate, words.Size(c.Plan.Shape.Size), words.Plural(len(c.Agents), "agent"))
	for _, p := range []float64{50, 99} {
		least, most, ok := results.AgentSpread(c.Agents, p)
		if !ok {
			continue
		}
		text += fmt.Sprintf(", %s from %s ms (%s) to %s ms (%s)", words.Percentile(p), value(least.Response, p), least.Name, value(most.Response, p), most.Name)
	}
	widest := int64(0)
	for _, a := range c.Agents {
		widest = max(widest, a.Clock.BoundNS)
	}
	return text + fmt.Sprintf("; began within ±%s ms", words.Millis(time.Duration(widest)))
}

func agentRow(a results.Agent, target string) []string {
	hiccup := "-"
	if a.Hiccup != nil {
		hiccup = millis(&a.Hiccup.MaxNS)
	}
	state := verdict(a.Verdict)
	if a.Lost != "" {
		state = "LOST"
	}
	fields := []string{target, a.Name, fmt.Sprintf("%.0f", a.OfferedPerS), fmt.Sprint(a.Connections), clip(a.Environment.Host, 16)}
	for _, p := range []float64{50, 99, 99.9, 100} {
		fields = append(fields, value(a.Response, p))
	}
	floor := "-"
	if a.Floor != nil {
		floor = value(a.Floor.Echo.Response, 99)
	}
	return append(fields, floor, value(a.Lag, 99), hiccup, "±"+words.Millis(time.Duration(a.Clock.BoundNS)), ledger(a.Ledger), state)
}
