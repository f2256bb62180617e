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
func (r *reporter) provisional() *results.Cell {
	c := &results.Cell{
		Plan: r.cell, Floor: r.floor,
		Response: results.NewDistribution(r.recording.totals[response], 0),
		Service:  results.NewDistribution(r.recording.totals[service], 0),
		Lag:      results.NewDistribution(r.recording.totals[lag], 0),
	}
	if r.paced() {
		c.OfferedPerS, c.ReachedPerS = r.pace.offered, r.pace.reached
	}
	r.observed.describe(c)
	c.Judge(running(c, r.around))
	return c
}

// paced tells whether the pace says something. In bursts it does not: whether
// the last one has come back depends on the moment of looking.
func (r *reporter) paced() bool {
	arrivals := r.cell.Shape.Arrivals
	steady := arrivals == "" || arrivals == schedule.Constant || arrivals == schedule.Poisson
	return steady && r.last().at-r.first.at >= settled
}
