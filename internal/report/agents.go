package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/results"
)

// agents shows how far the machines that measured a cell agree, so that a slow client is
// obvious, and the measurements of each.
func agents(d *document.Document, cells []*results.Cell) {
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
	if len(t.Rows) > 0 {
		d.Say("Measurements of each agent, in ms; start: the error of the common start.")
		d.Show(t)
	}
}

// agentsSpread returns a line with the range of percentiles over the agents of a cell.
func agentsSpread(c *results.Cell, name string) string {
	text := fmt.Sprintf("%s %s %s: %s", name, c.Plan.Shape.RateText(), c.Plan.Shape.SizeText(), words.Plural(len(c.Agents), "agent"))
	for _, p := range []float64{50, 99} {
		if least, most, ok := results.AgentSpread(c.Agents, p); ok {
			text += fmt.Sprintf(", %s from %s ms (%s) to %s ms (%s)",
				words.Percentile(p), format.Value(least.Response, p), least.Name, format.Value(most.Response, p), most.Name)
		}
	}
	widest := time.Duration(0)
	for _, a := range c.Agents {
		widest = max(widest, a.Clock.Apart())
	}
	return text + fmt.Sprintf("; began within ±%s ms", words.Millis(widest))
}

func agentRow(a results.Agent, target string) []string {
	state := format.Verdict(a.Verdict)
	if a.Lost != "" {
		state = "LOST"
	}
	fields := []string{target, a.Name, fmt.Sprintf("%.0f", a.OfferedPerS), fmt.Sprint(a.Connections), words.Clip(a.Environment.Host, 16)}
	fields = append(fields, format.Values(a.Response, 50, 99, 99.9, 100)...)
	return append(fields, format.Value(echoFloor(a.Floor), 99), format.Value(a.Lag, 99), longestHiccup(a.Hiccup),
		"±"+words.Millis(a.Clock.Apart()), format.Ledger(a.Ledger), state)
}

// echoes shows, for cells whose messages an echo sent back, how long each half of the way took,
// and how long the echo held messages.
func echoes(d *document.Document, cells []*results.Cell) {
	for _, c := range cells {
		if c.Echo != nil {
			d.Say(fmt.Sprintf("%s %s %s: %s", nameOf(c, cells), c.Plan.Shape.RateText(), c.Plan.Shape.SizeText(), echoText(c)))
		}
	}
}

func echoText(c *results.Cell) string {
	e := c.Echo
	if e.Lost != "" {
		return "two hops, and the echo was lost: " + e.Lost
	}
	text := fmt.Sprintf("two hops by an echo (%s), which had each message for %s", e.Kind, threeOf(e.Handling, 0))
	if c.Outward == nil || c.Back == nil || e.Clock == nil {
		return text + "; the way is not split: its clock is not known"
	}
	text += fmt.Sprintf("; outward, due until it had the message, %s; back, until the reply, %s",
		threeOf(*c.Outward, e.Clock.LeastNS), threeOf(*c.Back, e.Clock.LeastNS))
	for _, half := range []struct {
		name  string
		below results.BelowZero
	}{{"outward", e.Clock.Outward}, {"back", e.Clock.Back}} {
		if half.below.Count > 0 {
			text += fmt.Sprintf("; %s of %s below zero, down to %s ms",
				words.Plural(int(half.below.Count), "time"), half.name, words.Millis(time.Duration(half.below.LeastNS)))
		}
	}
	return text + " (" + e.Clock.Text() + ")"
}

// threeOf writes p50, p99 and the maximum in ms. Withheld percentiles are below least.
func threeOf(d results.Distribution, least int64) string {
	var parts []string
	for _, p := range []float64{50, 99, 100} {
		row, _ := d.At(p)
		shown := format.Value(d, p)
		if row.Withheld {
			shown = fmt.Sprintf("< 10 × bound: withheld (< %s)", words.Millis(time.Duration(least)))
		}
		parts = append(parts, words.Percentile(p)+" "+shown)
	}
	return strings.Join(parts, ", ") + " ms"
}
