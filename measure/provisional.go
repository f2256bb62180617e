package measure

import (
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// settled is from when on the pace is judged: before it, a few ops in flight are
// a per cent of all.
const settled = 3 * time.Second

// provisional returns a cell of what there is so far, and its verdict.
func (w *watcher) provisional(in *intervals) *results.Cell {
	c := &results.Cell{
		Plan: w.cell, Floor: w.floor,
		Response: results.NewDistribution(in.totals[response], 0),
		Service:  results.NewDistribution(in.totals[service], 0),
		Lag:      results.NewDistribution(in.totals[lag], 0),
	}
	if w.paced() {
		c.OfferedPerS, c.ReachedPerS = w.pace.offered, w.pace.reached
	}
	in.seen.describe(c)
	c.Judge(running(c, w.around))
	return c
}

// paced tells whether the pace says something. In bursts it does not: whether
// the last one has come back depends on the moment of looking.
func (w *watcher) paced() bool {
	arrivals := w.cell.Shape.Arrivals
	steady := arrivals == "" || arrivals == schedule.Constant || arrivals == schedule.Poisson
	return steady && w.last().at-w.first.at >= settled
}
