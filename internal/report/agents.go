package report

import (
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/results"
)

// agents shows how far the machines that measured a cell agree, so that a slow client is
// obvious; with details it shows the measurements of each.
func agents(d *document.Document, cells []*results.Cell, details bool) {
	shared := slices.DeleteFunc(slices.Clone(cells), func(c *results.Cell) bool { return len(c.Agents) == 0 })
	for _, c := range shared {
		d.Say(agentsSpread(c, nameOf(c, repeated(cells))))
	}
	if len(shared) == 0 || !details {
		return
	}
	d.Say("Measurements of each agent, in ms; start: the error of the common start.")
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

// agentsSpread returns a line with the range of percentiles over the agents of a cell.
func agentsSpread(c *results.Cell, name string) string {
	text := fmt.Sprintf("%s %s %s: %s", name, c.Plan.Shape.Rate, words.Size(c.Plan.Shape.Size), words.Plural(len(c.Agents), "agent"))
	for _, p := range []float64{50, 99} {
		least, most, ok := results.AgentSpread(c.Agents, p)
		if !ok {
			continue
		}
		text += fmt.Sprintf(", %s from %s ms (%s) to %s ms (%s)", words.Percentile(p), format.Value(least.Response, p), least.Name, format.Value(most.Response, p), most.Name)
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
		hiccup = format.Millis(&a.Hiccup.MaxNS)
	}
	state := format.Verdict(a.Verdict)
	if a.Lost != "" {
		state = "LOST"
	}
	fields := []string{target, a.Name, fmt.Sprintf("%.0f", a.OfferedPerS), fmt.Sprint(a.Connections), format.Clip(a.Environment.Host, 16)}
	for _, p := range []float64{50, 99, 99.9, 100} {
		fields = append(fields, format.Value(a.Response, p))
	}
	floor := "-"
	if a.Floor != nil {
		floor = format.Value(a.Floor.Echo.Response, 99)
	}
	return append(fields, floor, format.Value(a.Lag, 99), hiccup, "±"+words.Millis(time.Duration(a.Clock.BoundNS)), format.Ledger(a.Ledger), state)
}
