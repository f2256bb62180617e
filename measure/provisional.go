package measure

import (
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// provisional returns a cell of what was measured so far, with its verdict.
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
	c.Judge(problemsSoFar(c, w.around))
	return c
}

// paced tells whether the rate can be judged yet. In bursts it cannot: whether
// the last burst has come back depends on the moment.
func (w *watcher) paced() bool {
	arrivals := w.cell.Shape.Arrivals
	steady := arrivals == "" || arrivals == schedule.Constant || arrivals == schedule.Poisson
	return steady && w.last().at-w.first.at >= settled
}
