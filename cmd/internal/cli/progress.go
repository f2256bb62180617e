package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/brokerbench/brokerbench/cmd/internal/live"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// progress tells on stderr how far a run is, and why a cell is not valid. It is
// used from one goroutine at a time.
type progress struct {
	w       io.Writer
	quiet   bool
	view    live.View
	every   time.Duration // how often the view wants to be shown a cell; 0: once a second
	cells   []plan.Cell   // of the run
	at      live.Position // the cell under way
	metrics func(measure.Progress)
}

// newProgress shows the cells of a run in a mode of --progress.
func newProgress(s Streams, mode string, cells []plan.Cell) *progress {
	p := &progress{w: s.Err, quiet: mode == "off", cells: cells, metrics: func(measure.Progress) {}}
	switch {
	case p.quiet:
		p.view = live.Nothing{}
	case mode == "json":
		p.view = live.JSON{W: s.Err}
	case s.Screen != nil:
		p.view, p.every = live.Block{Screen: s.Screen}, live.Every
	default:
		p.view = live.NewLines(s.Err)
	}
	return p
}

// begin says which cell comes.
func (p *progress) begin(cell plan.Cell, n, _ int) {
	p.at = live.NewPosition(p.cells, n)
	p.view.Note(p.at.String(), cell.Settings.Warmup+cell.Settings.Duration)
}

// floor says that a floor is measured.
func (p *progress) floor(shape plan.Shape) {
	p.view.Note(fmt.Sprintf("floor of %v", shape), plan.FloorTook)
}

// report shows how far the cell is.
func (p *progress) report(now measure.Progress) {
	p.metrics(now)
	p.view.Watch(p.at, now)
}

// finish says how the cell went, also where there is no progress: this is none.
func (p *progress) finish(_ plan.Cell, c *results.Cell, err error) {
	p.view.Clear()
	if c == nil {
		if err != nil && !p.quiet {
			fmt.Fprintf(p.w, "%v: not measured\n", p.at)
		}
		return
	}
	for _, s := range c.SLOs {
		if s.Outcome != results.Passed {
			fmt.Fprintf(p.w, "%v: SLO %v %s: %s\n", p.at, s.Objective, s.Outcome, s.Text)
		}
	}
	for _, problem := range c.Problems {
		if problem.Severity != results.Valid {
			fmt.Fprintf(p.w, "%v: %s: %s\n", p.at, problem.Severity, problem.Text)
		}
	}
}
