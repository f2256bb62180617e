package verify

import (
	"bytes"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// Table writes every row of every check, and what a closed-loop tool would have
// said of the same system.
func Table(w io.Writer, checks []Check) error {
	var b bytes.Buffer
	for _, c := range checks {
		c.print(&b)
	}
	within, rows := 0, 0
	for _, c := range checks {
		for _, r := range c.Rows {
			if r.Checked {
				rows++
			}
			if r.Checked && r.Within {
				within++
			}
		}
	}
	fmt.Fprintf(&b, "%d of %d rows within their tolerance\n", within, rows)
	if worst := worstHiccup(checks); within < rows && len(checks) > 1 && worst > int64(tail) {
		fmt.Fprintf(&b, "this machine kept a process from running for up to %s ms: try again when it is quiet (brokerbench doctor)\n", millis(worst))
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (c Check) print(b *bytes.Buffer) {
	fmt.Fprintf(b, "%s, %s, %d/s for %v; response time in ms\n", c.Scenario, c.Mode, c.Cell.Plan.Shape.Rate, c.Cell.Plan.Settings.Duration)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\texpected\tmeasured\tdifference\terror\ttolerance\t\t")
	for _, r := range c.Rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", r.Name, r.show(r.Expected), r.show(r.Measured), r.difference(), r.percent(), r.limit(), r.mark())
	}
	_ = t.Flush() // into memory
	if c.BaseNS > 0 {
		fmt.Fprintf(b, "  expected includes %s ms that a round trip takes besides, as measured\n", millis(c.BaseNS))
	}
	if c.Cell.Hiccup != nil {
		fmt.Fprintf(b, "  the tolerance includes what the machine added: %s ms from p99.9 on (system late by up to %s ms, this process by %s ms), else %s ms\n",
			millis(max(c.LateNS, c.HiccupNS)), millis(c.LateNS), millis(c.HiccupNS), millis(int64(ordinaryHiccup(c.Cell))))
	}
	if c.Cell.Plan.Shape.InFlight == 1 {
		fmt.Fprintf(b, "  a closed-loop tool, which counts from when it sends, says: p50 %s  p99 %s  p99.9 %s  max %s\n",
			closed(c.Cell.Service, 50), closed(c.Cell.Service, 99), closed(c.Cell.Service, 99.9), closed(c.Cell.Service, 100))
	}
	fmt.Fprintln(b)
}

// worstHiccup returns the most that the machine added to any check.
func worstHiccup(checks []Check) (worst int64) {
	for _, c := range checks {
		worst = max(worst, c.LateNS, c.HiccupNS)
	}
	return worst
}

// closed writes a percentile as a tool would have that forgets what is missing.
func closed(d results.Distribution, percentile float64) string {
	row, _ := d.At(percentile)
	if v, ok := row.Value(); ok {
		return millis(int64(v))
	}
	return "≤ " + millis(d.MaxNS) + " (it forgets the lost)"
}

func (r Row) show(v *int64) string {
	switch {
	case v == nil:
		return "unknown"
	case r.Unit == "ops":
		return fmt.Sprint(*v)
	}
	return millis(*v)
}

func (r Row) difference() string {
	switch {
	case r.Expected == nil || r.Measured == nil:
		return ""
	case r.Unit == "ops":
		return fmt.Sprint(*r.Measured - *r.Expected)
	}
	return fmt.Sprintf("%+.3f", float64(*r.Measured-*r.Expected)/float64(time.Millisecond))
}

func (r Row) percent() string {
	if r.Unit == "ops" || r.Expected == nil || r.Measured == nil {
		return ""
	}
	return fmt.Sprintf("%+.2f %%", 100*r.Error)
}

func (r Row) limit() string {
	switch {
	case !r.Checked:
		return "not judged"
	case r.Expected == nil:
		return "unknown"
	case r.Unit == "ops":
		return "exact"
	}
	return millis(r.Tolerance)
}

func (r Row) mark() string {
	if !r.Checked || r.Within {
		return ""
	}
	return "OUTSIDE"
}

// millis writes nanoseconds in ms, with four digits at least.
func millis(ns int64) string {
	ms := float64(ns) / float64(time.Millisecond)
	if ms >= 1000 {
		return fmt.Sprintf("%.1f", ms)
	}
	return fmt.Sprintf("%.3f", ms)
}
