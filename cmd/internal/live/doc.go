// Package live shows a run while it goes on: as a block that is redrawn on a
// terminal, as plain lines, or as JSON. It is for watching, not for the record.
package live

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
)

// A Position is where in its matrix a run is.
type Position struct {
	Cell  plan.Cell
	N, Of int           // the cell's number, from 1, of so many; Of 0: how many there will be is not known
	After time.Duration // what the cells after it take, if nothing is late
}

// NewPosition returns the position of cell n (from 1) of cells.
func NewPosition(cells []plan.Cell, n int) Position {
	p := Position{Cell: cells[n-1], N: n, Of: len(cells)}
	for _, c := range cells[n:] {
		p.After += c.Settings.Warmup + c.Settings.Duration
	}
	return p
}

// String names the cell and its number.
func (p Position) String() string {
	if p.Of == 0 {
		return fmt.Sprintf("[%d] %s", p.N, p.Cell.ID())
	}
	return fmt.Sprintf("[%d/%d] %s", p.N, p.Of, p.Cell.ID())
}

// left returns how long the run takes from now on, if nothing is late.
func (p Position) left(now measure.Progress) time.Duration {
	return p.After + max(now.Total-now.Elapsed, 0)
}

// A View shows a run. It is used from one goroutine at a time.
type View interface {
	// Note says what begins and how long it takes; 0 is unknown.
	Note(text string, takes time.Duration)
	// Watch shows how far a cell is, at each of measure.Options.Watch's calls.
	Watch(at Position, now measure.Progress)
	// Clear takes away what is not to stay.
	Clear()
}

// Nothing is a View of nothing.
type Nothing struct{}

// Note implements View.
func (Nothing) Note(string, time.Duration) {}

// Watch implements View.
func (Nothing) Watch(Position, measure.Progress) {}

// Clear implements View.
func (Nothing) Clear() {}
