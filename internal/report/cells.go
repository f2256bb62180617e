package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// responses shows the response time of each cell, in the order of measuring.
func responses(d *document.Document, cells []*results.Cell) {
	if len(cells) == 0 {
		return
	}
	d.Say("Response time in ms, from the moment each message was due; service p99 from the moment it was sent.")
	t := document.Table{Align: "lr", Gap: 1, Head: []string{
		"target", "rate/s", "reached", "size", "conn", "flight", "arrivals", "p50", "p99", "p99.9", "p99.99", "max", "svc p99", "ledger", "verdict",
	}}
	for _, c := range results.BySize(cells) {
		s := c.Plan.Shape
		fields := []string{
			nameOf(c, cells), s.RateColumn(), words.Rate(c.ReachedPerS), s.SizeText(),
			fmt.Sprint(s.Connections), words.InFlight(s.InFlight), string(cmp.Or(s.Arrivals, schedule.Constant)),
		}
		fields = append(fields, format.Values(c.Response, 50, 99, 99.9, 99.99, 100)...)
		t.Rows = append(t.Rows, append(fields, format.Value(c.Service, 99), format.Ledger(c.Ledger), format.Verdict(c.Verdict)))
	}
	d.Show(t.WithoutUsual("arrivals", string(schedule.Constant)))
}

// nameOf names the target of a cell, and which repeat it is if any of the cells is a repeat.
func nameOf(c *results.Cell, cells []*results.Cell) string {
	name := words.Clip(c.Plan.Target.Name, 12)
	if slices.ContainsFunc(cells, func(c *results.Cell) bool { return c.Plan.Repeat > 1 }) {
		name += fmt.Sprintf(" r%d", c.Plan.Repeat)
	}
	return name
}

const trustHead = "How far to trust these numbers, in ms: 95 % confidence intervals of percentiles; floor: an echo in place of the " +
	"broker; hiccup: the longest time this process was runnable but not scheduled; tail: of the seconds with the worst responses, " +
	"how many had a hiccup at least half as long; pauses: how often responses took ten times p50 and 10 ms or more, and how long is at " +
	"least between two of them on average; cores used by this process (of those that it may use, if these are not all) and by the whole machine."

// trust shows the known disturbances of the numbers of each cell.
func trust(d *document.Document, cells []*results.Cell) {
	anything := func(c *results.Cell) bool {
		row, _ := c.Response.At(50)
		return c.Floor != nil || c.Hiccup != nil || row.LowNS != nil
	}
	if !slices.ContainsFunc(cells, anything) {
		return
	}
	d.Say(trustHead)
	t := document.Table{Align: "lr", Gap: 1, Head: []string{
		"target", "rate/s", "size", "conn", "p50", "p99", "p99.9", "floor p50", "p99", "p99.9", "hiccup", "tail", "pauses", "cores", "machine",
	}}
	for _, c := range results.BySize(cells) {
		s := c.Plan.Shape
		fields := []string{nameOf(c, cells), s.RateColumn(), s.SizeText(), fmt.Sprint(s.Connections)}
		for _, p := range []float64{50, 99, 99.9} {
			row, _ := c.Response.At(p)
			fields = append(fields, format.Interval(row.LowNS, row.HighNS))
		}
		fields = append(fields, format.Values(echoFloor(c.Floor), 50, 99, 99.9)...)
		t.Rows = append(t.Rows, append(fields, observed(c)...))
	}
	d.Show(t)
}

// echoFloor returns the response times of a TCP echo; none if there was no floor.
func echoFloor(f *results.Floor) results.Distribution {
	if f == nil {
		return results.Distribution{}
	}
	return f.Echo.Response
}

func longestHiccup(h *results.Distribution) string {
	if h == nil {
		return "-"
	}
	return format.Millis(&h.MaxNS)
}

// observed writes the observations of process and machine.
func observed(c *results.Cell) []string {
	tail, pauses, cores, machine := "-", "-", "-", "-"
	if c.Tail != nil {
		tail = fmt.Sprintf("%d/%d", c.Tail.WithHiccup, c.Tail.Intervals)
	}
	if p := c.Pauses; p != nil {
		pauses = fmt.Sprint(p.Count)
		if p.AtMostPerS > 0 {
			pauses += fmt.Sprintf(" (>%s)", words.Duration(time.Duration(1e9/p.AtMostPerS).Round(100*time.Millisecond)))
		}
	}
	if c.Usage != nil {
		m := c.Usage.Machine
		cores = fmt.Sprintf("%.2f", c.Usage.Process.CPUCores)
		if c.UsableCores > 0 && (m == nil || c.UsableCores < float64(m.CPUs)) {
			cores += fmt.Sprintf("/%.4g", c.UsableCores)
		}
		if m != nil {
			machine = fmt.Sprintf("%.2f/%d", m.BusyCores, m.CPUs)
		}
	}
	return []string{longestHiccup(c.Hiccup), tail, pauses, cores, machine}
}

// repeats shows how much the percentiles of repeats differ: the name and the ledger of each
// cell, and a row below it.
func repeats(d *document.Document, run results.Run, list []*results.Summary) {
	if len(list) == 0 {
		return
	}
	d.Say(fmt.Sprintf("All %d repeats together: response time in ms (95 %% interval, by how the repeats differ), and the longest of all; ledger and verdict cover all repeats.", run.Plan.Repeat))
	percentiles := []string{"p50", "p99", "p99.9", "max"}
	t := document.Table{Head: append([]string{"cell", "repeats", "ledger", "verdict"}, percentiles...), Align: "llllr"}
	var groups []document.Group
	for _, s := range list {
		row := []string{pooled(s, 50), pooled(s, 99), pooled(s, 99.9), pooled(s, 100)}
		t.Rows = append(t.Rows, append([]string{s.Plan.Title(), fmt.Sprint(len(s.Cells)), format.Ledger(s.Ledger), format.Verdict(s.Verdict)}, row...))
		title := fmt.Sprintf("%s: %s, %s", s.Plan.Title(), format.Ledger(s.Ledger), format.Verdict(s.Verdict))
		if n := len(s.Cells); n != run.Plan.Repeat {
			title += fmt.Sprintf(", %d of %d repeats", n, run.Plan.Repeat)
		}
		groups = append(groups, document.Group{Title: title, Rows: [][]string{row}})
	}
	d.ShowAs(document.Table{Head: percentiles, Align: "r"}.Grouped(groups), t)
	for _, s := range list {
		if s.Pauses != nil && s.Pauses.Count > 0 {
			d.Note(pausesOf(s))
		}
	}
}

// pausesOf says in how many repeats the target paused.
func pausesOf(s *results.Summary) string {
	p := s.Pauses
	text := fmt.Sprintf("%s: %s of %s ms or more, in %d of %d repeats", s.Plan.Title(), words.Plural(int(p.Count), "pause"), format.Millis(&p.LeastNS), p.In, p.Of)
	if p.AtMostPerS > 0 {
		text += fmt.Sprintf("; at most one in %.1f s on average (95 %%)", 1/p.AtMostPerS)
	}
	return text
}

// pooled writes a percentile of all repeats with its mark and interval.
func pooled(s *results.Summary, percentile float64) string {
	text := format.Value(s.Response, percentile)
	if row, _ := s.Response.At(percentile); row.LowNS != nil {
		text += " (" + format.Bounds(row.LowNS, row.HighNS) + ")"
	}
	return text
}
