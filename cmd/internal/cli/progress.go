package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/requester/measure"
	"github.com/brokerbench/brokerbench/requester/plan"
	"github.com/brokerbench/brokerbench/results"
	"github.com/brokerbench/brokerbench/results/report"
)

// plainEvery is how often progress is told where lines cannot be redrawn.
const plainEvery = 5 * time.Second

// progress tells on stderr how far a run is: a line redrawn on a terminal, a line
// every few seconds elsewhere, nothing when quiet. It is used from one goroutine
// at a time.
type progress struct {
	w        io.Writer
	terminal bool
	quiet    bool
	label    string        // the cell under way
	told     time.Duration // elapsed when the last plain line was written
	drawn    int           // width of the line on the terminal
}

// begin says which cell comes.
func (p *progress) begin(cell plan.Cell, n, of int) {
	p.label = fmt.Sprintf("[%d/%d] %s", n, of, cell.ID())
	p.told = 0
	if !p.quiet && !p.terminal {
		total := cell.Settings.Warmup + cell.Settings.Duration
		fmt.Fprintf(p.w, "%s: %v\n", p.label, total)
	}
}

// floor says that a floor is measured.
func (p *progress) floor(shape plan.Shape) {
	switch line := fmt.Sprintf("floor of %v", shape); {
	case p.quiet:
	case p.terminal:
		p.redraw(line)
	default:
		fmt.Fprintf(p.w, "%s: %v\n", line, plan.FloorTook)
	}
}

// watch tells how far the cell is.
func (p *progress) watch(now measure.Progress) {
	line := fmt.Sprintf("%s: %s, %.0f/s, %s", p.label, clock(now), now.RateNow, soFar(now))
	switch {
	case p.quiet:
	case p.terminal:
		p.redraw(line)
	case now.Elapsed-p.told >= plainEvery:
		p.told = now.Elapsed
		fmt.Fprintln(p.w, line)
	}
}

// clock says how much of the schedule is over; afterwards late replies come in.
func clock(now measure.Progress) string {
	if now.Elapsed > now.Total {
		return fmt.Sprintf("waiting %v for late replies", (now.Elapsed - now.Total).Round(time.Second))
	}
	return fmt.Sprintf("%v of %v", now.Elapsed.Round(time.Second), now.Total)
}

func soFar(now measure.Progress) string {
	if now.Done == 0 {
		return "warming up"
	}
	return fmt.Sprintf("response ms so far: p50 %s p99 %s max %s", report.Millis(now.P50), report.Millis(now.P99), report.Millis(now.Max))
}

// finish says how the cell went.
func (p *progress) finish(_ plan.Cell, c *results.Cell, err error) {
	p.redraw("")
	switch {
	case p.quiet:
	case err != nil && c == nil:
		fmt.Fprintf(p.w, "%s: not measured\n", p.label)
	}
	if c == nil {
		return
	}
	for _, s := range c.SLOs {
		if s.Outcome != results.Passed {
			fmt.Fprintf(p.w, "%s: SLO %v %s: %s\n", p.label, s.Objective, s.Outcome, s.Text)
		}
	}
	for _, problem := range c.Problems { // also when quiet: this is no progress
		if problem.Severity != results.Valid {
			fmt.Fprintf(p.w, "%s: %s: %s\n", p.label, problem.Severity, problem.Text)
		}
	}
}

// redraw replaces the line on a terminal.
func (p *progress) redraw(line string) {
	if !p.terminal || p.quiet {
		return
	}
	width := len([]rune(line))
	fmt.Fprintf(p.w, "\r%s%s", line, strings.Repeat(" ", max(0, p.drawn-width)))
	if width == 0 {
		fmt.Fprint(p.w, "\r")
	}
	p.drawn = width
}
