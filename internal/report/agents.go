package report

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/results"
)

// agents shows how far the machines that measured a cell agree, so that a slow client is
// obvious; with details it shows the measurements of each.
func agents(d *document.Document, cells []*results.Cell, details bool) {
	t := document.Table{Align: "llrrlr", Gap: 1, Head: []string{
		"target", "agent", "rate/s", "conn", "host", "p50", "p99", "p99.9", "max", "floor p99", "lag p99", "hiccup", "start", "done", "verdict",
	}}
	for _, c := range cells {
		if len(c.Agents) == 0 {
			continue
		}
		name := nameOf(c, cells)
		d.Say(agentsSpread(c, name))
		for _, a := range c.Agents {
			t.Rows = append(t.Rows, agentRow(a, name))
		}
	}
	if len(t.Rows) > 0 && details {
		d.Say("Measurements of each agent, in ms; start: the error of the common start.")
		d.Show(t)
	}
}

// agentsSpread returns a line with the range of percentiles over the agents of a cell.
func agentsSpread(c *results.Cell, name string) string {
	text := fmt.Sprintf("%s %s %s: %s", name, c.Plan.Shape.Rate, words.Size(c.Plan.Shape.Size), words.Plural(len(c.Agents), "agent"))
	for _, p := range []float64{50, 99} {
		if least, most, ok := results.AgentSpread(c.Agents, p); ok {
			text += fmt.Sprintf(", %s from %s ms (%s) to %s ms (%s)",
				words.Percentile(p), format.Value(least.Response, p), least.Name, format.Value(most.Response, p), most.Name)
		}
	}
	widest := int64(0)
	for _, a := range c.Agents {
		widest = max(widest, a.Clock.BoundNS)
	}
	return text + fmt.Sprintf("; began within ±%s ms", words.Millis(time.Duration(widest)))
}

func agentRow(a results.Agent, target string) []string {
	state := format.Verdict(a.Verdict)
	if a.Lost != "" {
		state = "LOST"
	}
	fields := []string{target, a.Name, fmt.Sprintf("%.0f", a.OfferedPerS), fmt.Sprint(a.Connections), words.Clip(a.Environment.Host, 16)}
	fields = append(fields, format.Values(a.Response, 50, 99, 99.9, 100)...)
	return append(fields, format.Value(echoFloor(a.Floor), 99), format.Value(a.Lag, 99), longestHiccup(a.Hiccup),
		"±"+words.Millis(time.Duration(a.Clock.BoundNS)), format.Ledger(a.Ledger), state)
}
