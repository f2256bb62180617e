// Package live shows the progress of a run: as a block that is redrawn on a
// terminal, as plain lines, or as JSON. The files of the result are the authority.
package live

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
)

// A Position is the cell of a run that is being measured.
type Position struct {
	Cell  plan.Cell
	N, Of int           // the cell's number, from 1, and the number of cells; Of is 0 in a search, where it is unknown
	After time.Duration // how long the cells after it take, if nothing is late
}

// NewPosition returns the position of cell n (from 1) of cells.
func NewPosition(cells []plan.Cell, n int) Position {
	p := Position{Cell: cells[n-1], N: n, Of: len(cells)}
	for _, c := range cells[n:] {
		p.After += c.Settings.Warmup + c.Settings.Duration
	}
	return p
}

// String returns the cell's number and name.
func (p Position) String() string {
	if p.Of == 0 {
		return fmt.Sprintf("[%d] %s", p.N, p.Cell)
	}
	return fmt.Sprintf("[%d/%d] %s", p.N, p.Of, p.Cell)
}

// left returns how long the run takes from now on, if nothing is late.
func (p Position) left(now measure.Progress) time.Duration {
	return p.After + max(now.Total-now.Elapsed, 0)
}

// A View shows the progress of a run. It is used from one goroutine at a time.
type View interface {
	// Begin announces a step and how long it takes; 0 is unknown.
	Begin(text string, takes time.Duration)
	// Show shows the progress of a cell.
	Show(at Position, now measure.Progress)
	// Audit shows the progress of the audit of a cell.
	Audit(at Position, now measure.Auditing)
	// Clear removes the progress from the screen.
	Clear()
}

// Discard is a View that ignores all progress.
type Discard struct{}

// Begin implements View.
func (Discard) Begin(string, time.Duration) {}

// Show implements View.
func (Discard) Show(Position, measure.Progress) {}

// Clear implements View.
func (Discard) Clear() {}

// Audit implements View.
func (Discard) Audit(Position, measure.Auditing) {}
