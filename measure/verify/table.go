package verify

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// Table writes every row of every check, and what a closed-loop tool would have
// said of the same system.
func Table(w io.Writer, checks []Check) error {
	var b strings.Builder
	for _, c := range checks {
		b.WriteString(c.title() + "\n" + c.sheet().Text())
		for _, note := range c.notes() {
			b.WriteString("  " + note + "\n")
		}
		b.WriteString("\n")
	}
	b.WriteString(strings.Join(total(checks), "\n") + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// Markdown writes the same for a page or a comment.
func Markdown(w io.Writer, checks []Check) error {
	var b strings.Builder
	for _, c := range checks {
		b.WriteString(document.Escape(c.title()) + "\n\n" + c.sheet().Markdown() + "\n")
		for _, note := range c.notes() {
			b.WriteString("- " + document.Escape(note) + "\n")
		}
		b.WriteString("\n")
	}
	b.WriteString(document.Escape(strings.Join(total(checks), "; ")) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// CSV writes a line for each row of each check, with times in nanoseconds; what
// is unknown is empty.
func CSV(w io.Writer, checks []Check) error {
	s := document.Table{Head: []string{
		"scenario", "mode", "rate_per_s", "window_ns", "row", "unit", "expected", "measured", "tolerance", "relative_error", "checked", "within",
	}}
	for _, c := range checks {
		for _, r := range c.Rows {
			s.Rows = append(s.Rows, []string{
				c.Scenario, c.Mode, fmt.Sprint(c.Cell.Plan.Shape.Rate), fmt.Sprint(int64(c.Cell.Plan.Settings.Duration)), r.Name, r.Unit,
				orEmpty(r.Expected), orEmpty(r.Measured), fmt.Sprint(r.Tolerance), fmt.Sprint(r.Error), fmt.Sprint(r.Checked), fmt.Sprint(r.Within),
			})
		}
	}
	return s.CSV(w)
}

func orEmpty(v *int64) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(*v)
}

// total says how many rows are as they should be, and what may be to blame.
func total(checks []Check) (lines []string) {
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
	lines = append(lines, fmt.Sprintf("%d of %d rows within their tolerance", within, rows))
	if worst := worstHiccup(checks); within < rows && len(checks) > 1 && worst > int64(tail) {
		lines = append(lines, fmt.Sprintf("this machine kept a process from running for up to %s ms: try again when it is quiet (brokerbench doctor)", millis(worst)))
	}
	return lines
}

func (c Check) title() string {
	return fmt.Sprintf("%s, %s, %d/s for %v; response time in ms", c.Scenario, c.Mode, c.Cell.Plan.Shape.Rate, c.Cell.Plan.Settings.Duration)
}

func (c Check) sheet() document.Table {
	s := document.Table{Head: []string{"", "expected", "measured", "difference", "error", "tolerance", ""}, Align: "r"}
	for _, r := range c.Rows {
		s.Rows = append(s.Rows, []string{r.Name, r.show(r.Expected), r.show(r.Measured), r.difference(), r.percent(), r.limit(), r.mark()})
	}
	return s
}

// notes says what the expectations and tolerances include, and what other tools
// would have said.
func (c Check) notes() (notes []string) {
	if c.BaseNS > 0 {
		notes = append(notes, fmt.Sprintf("expected includes %s ms that a round trip takes besides, as measured", millis(c.BaseNS)))
	}
	if c.Cell.Hiccup != nil {
		notes = append(notes, fmt.Sprintf("the tolerance includes what the machine added: %s ms from p99.9 on (system late by up to %s ms, this process by %s ms), else %s ms",
			millis(max(c.LateNS, c.HiccupNS)), millis(c.LateNS), millis(c.HiccupNS), millis(int64(ordinaryHiccup(c.Cell)))))
	}
	if c.Cell.Plan.Shape.InFlight == 1 {
		notes = append(notes, fmt.Sprintf("a closed-loop tool, which counts from when it sends, says: p50 %s  p99 %s  p99.9 %s  max %s",
			closed(c.Cell.Service, 50), closed(c.Cell.Service, 99), closed(c.Cell.Service, 99.9), closed(c.Cell.Service, 100)))
	}
	return notes
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
