package report

import (
	"fmt"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/internal/verify"
	"github.com/brokerbench/brokerbench/results"
)

// Verify shows every row of every check, and the numbers that a closed-loop tool would report
// for the same system. As JSON it is the list of checks.
func Verify(checks []verify.Check) *document.Document {
	var d document.Document
	type line struct {
		verify.Check
		verify.Row
	}
	var lines []line
	agree, rows, answers := 0, 0, make(map[verify.Answer]int)
	for _, c := range checks {
		check(&d, c)
		answers[c.Answer]++
		for _, r := range c.Rows {
			lines = append(lines, line{c, r})
			if rows++; r.Agrees {
				agree++
			}
		}
	}
	d.Say(fmt.Sprintf("%s: %d of %d rows agree; %d checks agree, %d disagree, %d are inconclusive", verify.Sum(checks), agree, rows,
		answers[verify.Agrees], answers[verify.Disagrees], answers[verify.Inconclusive]))
	d.Exact(document.Records(lines, "scenario=Scenario mode=Mode rate_per_s=Cell/Plan/Shape/Rate window_ns=Cell/Plan/Settings/Duration answer=Answer row=Name",
		"unit=Unit ideal=Ideal from=From to=To measured=Measured agrees=Agrees where=Where"), checks)
	return &d
}

func check(d *document.Document, c verify.Check) {
	d.Say(fmt.Sprintf("%s, %s, %v for %v: %s; response time in ms", c.Scenario, c.Mode, c.Cell.Plan.Shape.Rate, c.Cell.Plan.Settings.Duration, c.Answer))
	t := document.Table{Head: []string{"", "arithmetic", "witnessed", "measured", ""}, Align: "r"}
	for _, r := range c.Rows {
		mark := ""
		if !r.Agrees {
			mark = "DISAGREES"
		}
		t.Rows = append(t.Rows, []string{r.Name, ideal(r), witnessed(r), measure(r, r.Measured), mark})
	}
	d.Show(t)
	for _, r := range c.Rows {
		if !r.Agrees {
			d.Note(fmt.Sprintf("  %s disagrees: %s", r.Name, r.Where))
		}
	}
	if c.Reason != "" {
		d.Note(fmt.Sprintf("  inconclusive, measured %s: %s", words.Plural(c.Attempts, "time"), c.Reason))
	}
	notes(d, c)
	d.Add("\n", "")
}

// notes describe the disturbances of the machine, and the numbers of a closed-loop tool.
func notes(d *document.Document, c verify.Check) {
	if c.Cell.Hiccup != nil {
		d.Note(fmt.Sprintf("  at most: the system stood still for %s ms, this process for %s ms; a message took %s ms there, a reply %s ms back",
			format.Millis(&c.StillNS), format.Millis(&c.HiccupNS), format.Millis(&c.ThereNS), format.Millis(&c.BackNS)))
	}
	if s := c.Cell.Service; c.Cell.Plan.Shape.InFlight == 1 {
		d.Note(fmt.Sprintf("  a closed-loop tool, which measures from when it sends, would say: p50 %s, p99 %s, p99.9 %s, max %s",
			closed(s, 50), closed(s, 99), closed(s, 99.9), closed(s, 100)))
	}
}

// closed writes a percentile of service like a tool that ignores lost messages.
func closed(d results.Distribution, percentile float64) string {
	row, _ := d.At(percentile)
	if row.ValueNS == nil {
		return "≤ " + format.Millis(&d.MaxNS) + " (it ignores lost messages)"
	}
	return format.Millis(row.ValueNS)
}

// measure writes a number of messages, or a time in ms.
func measure(r verify.Row, v *int64) string {
	switch {
	case v == nil:
		return "unknown"
	case r.Unit == "ops":
		return fmt.Sprint(*v)
	}
	return exact(*v)
}

// exact writes a time in ms with five digits, as it may differ from another by the width of
// a bucket.
func exact(ns int64) string {
	ms := float64(ns) / 1e6
	if ms >= 1e4 {
		return fmt.Sprintf("%.0f", ms)
	}
	return fmt.Sprintf("%.5g", ms)
}

// ideal writes the arithmetic result, if there is one.
func ideal(r verify.Row) string {
	if r.Ideal == nil {
		return ""
	}
	return measure(r, r.Ideal)
}

// witnessed writes the range that the witnesses allow.
func witnessed(r verify.Row) string {
	from, to := measure(r, r.From), measure(r, r.To)
	if from == to {
		return from
	}
	return from + " – " + to
}
