package report

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/measure/verify"
	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// Verify shows every row of every check, and what a closed-loop tool would have
// said of the same system. As JSON it is the list of checks.
func Verify(checks []verify.Check) *document.Document {
	var d document.Document
	exact := document.Table{Head: []string{
		"scenario", "mode", "rate_per_s", "window_ns", "row", "unit", "expected", "measured", "tolerance", "relative_error", "checked", "within",
	}}
	within, judged := 0, 0
	for _, c := range checks {
		check(&d, c)
		for _, r := range c.Rows {
			exact.Rows = append(exact.Rows, []string{
				c.Scenario, c.Mode, number(float64(c.Cell.Plan.Shape.Rate)), integer(int64(c.Cell.Plan.Settings.Duration)), r.Name, r.Unit,
				known(r.Expected, integer), known(r.Measured, integer), integer(r.Tolerance), fmt.Sprint(r.Error), fmt.Sprint(r.Checked), fmt.Sprint(r.Within),
			})
			if r.Checked {
				judged++
			}
			if r.Checked && r.Within {
				within++
			}
		}
	}
	d.Say(fmt.Sprintf("%d of %d rows are within their tolerance", within, judged))
	if kept := verify.Disturbed(checks); within < judged && len(checks) > 1 && kept > 0 {
		d.Say(fmt.Sprintf("this machine kept a process from running for up to %s ms: try again when it is less busy (see brokerbench doctor)", words.Millis(kept)))
	}
	d.Exact(exact, checks)
	return &d
}

func check(d *document.Document, c verify.Check) {
	d.Say(fmt.Sprintf("%s, %s, %v for %v; response time in ms", c.Scenario, c.Mode, c.Cell.Plan.Shape.Rate, c.Cell.Plan.Settings.Duration))
	t := document.Table{Head: []string{"", "expected", "measured", "difference", "error", "tolerance", ""}, Align: "r"}
	for _, r := range c.Rows {
		mark := ""
		if r.Checked && !r.Within {
			mark = "OUTSIDE"
		}
		t.Rows = append(t.Rows, []string{r.Name, amount(r, r.Expected), amount(r, r.Measured), difference(r), relative(r), tolerance(r), mark})
	}
	d.Show(t)
	if c.BaseNS > 0 {
		d.Note(fmt.Sprintf("  expected includes the overhead of a round trip, measured at %s ms", millis(&c.BaseNS)))
	}
	if c.Cell.Hiccup != nil {
		longest := max(c.LateNS, c.HiccupNS)
		d.Note(fmt.Sprintf("  the tolerance includes delays of the machine: %s ms from p99.9 on (the system was late by up to %s ms, this process by %s ms), else %s ms",
			millis(&longest), millis(&c.LateNS), millis(&c.HiccupNS), words.Millis(c.OrdinaryHiccup())))
	}
	if s := c.Cell.Service; c.Cell.Plan.Shape.InFlight == 1 {
		d.Note(fmt.Sprintf("  a closed-loop tool, which measures from when it sends, would say: p50 %s, p99 %s, p99.9 %s, max %s",
			closed(s, 50), closed(s, 99), closed(s, 99.9), closed(s, 100)))
	}
	d.Add("\n", "")
}

// closed writes a percentile of service as a tool would that ignores lost messages.
func closed(d results.Distribution, percentile float64) string {
	row, _ := d.At(percentile)
	if row.ValueNS == nil {
		return "≤ " + millis(&d.MaxNS) + " (it ignores lost messages)"
	}
	return millis(row.ValueNS)
}

// amount writes a number of messages, or a time in ms.
func amount(r verify.Row, v *int64) string {
	switch {
	case v == nil:
		return "unknown"
	case r.Unit == "ops":
		return integer(*v)
	}
	return millis(v)
}

func difference(r verify.Row) string {
	switch {
	case r.Expected == nil || r.Measured == nil:
		return ""
	case r.Unit == "ops":
		return integer(*r.Measured - *r.Expected)
	}
	return fmt.Sprintf("%+.3f", float64(*r.Measured-*r.Expected)/float64(time.Millisecond))
}

func relative(r verify.Row) string {
	if r.Unit == "ops" || r.Expected == nil || r.Measured == nil {
		return ""
	}
	return fmt.Sprintf("%+.2f %%", 100*r.Error)
}

func tolerance(r verify.Row) string {
	switch {
	case !r.Checked:
		return "not judged"
	case r.Expected == nil:
		return "unknown"
	case r.Unit == "ops":
		return "exact"
	}
	return millis(&r.Tolerance)
}
