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

const trustHead = "How far to trust these numbers, in ms: 95 % confidence intervals of percentiles; floor: a TCP echo in place of the " +
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
	for _, c := range cells {
		t.Rows = append(t.Rows, trustRow(c, repeated(cells)))
	}
	d.Show(t)
}

func trustRow(c *results.Cell, repeated bool) []string {
	s := c.Plan.Shape
	fields := []string{nameOf(c, repeated), s.Rate.Column(), words.Size(s.Size), fmt.Sprint(s.Connections)}
	for _, p := range []float64{50, 99, 99.9} {
		fields = append(fields, bounded(c.Response, p))
	}
	for _, p := range []float64{50, 99, 99.9} {
		floor := "-"
		if c.Floor != nil {
			floor = format.Value(c.Floor.Echo.Response, p)
		}
		fields = append(fields, floor)
	}
	return append(fields, observed(c)...)
}

// bounded writes the interval of a percentile.
func bounded(d results.Distribution, percentile float64) string {
	row, _ := d.At(percentile)
	if row.LowNS == nil {
		return "-"
	}
	high := "∞" // the run does not show an upper bound
	if row.HighNS != nil {
		high = format.Millis(row.HighNS)
	}
	return format.Millis(row.LowNS) + "–" + high
}

// observed writes the observations of process and machine.
func observed(c *results.Cell) []string {
	fields := []string{"-", "-", "-", "-", "-"}
	if c.Hiccup != nil {
		fields[0] = format.Millis(&c.Hiccup.MaxNS)
	}
	if c.Tail != nil {
		fields[1] = fmt.Sprintf("%d/%d", c.Tail.WithHiccup, c.Tail.Intervals)
	}
	if p := c.Pauses; p != nil {
		fields[2] = fmt.Sprint(p.Count)
	}
	if p := c.Pauses; p != nil && p.AtMostPerS > 0 {
		fields[2] = fmt.Sprintf("%d (>%s)", p.Count, words.Duration(time.Duration(1e9/p.AtMostPerS).Round(100*time.Millisecond)))
	}
	if c.Usage != nil {
		m := c.Usage.Machine
		fields[3] = fmt.Sprintf("%.2f", c.Usage.Process.CPUCores)
		if c.UsableCores > 0 && (m == nil || c.UsableCores < float64(m.CPUs)) {
			fields[3] += fmt.Sprintf("/%.4g", c.UsableCores)
		}
		if m != nil {
			fields[4] = fmt.Sprintf("%.2f/%d", m.BusyCores, m.CPUs)
		}
	}
	return fields
}
