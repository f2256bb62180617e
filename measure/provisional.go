package measure

import (
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// provisional returns a cell of what was measured so far, with its verdict.
func (r *reporter) provisional() *results.Cell {
	c := &results.Cell{Plan: r.cell, Floor: r.floor}
	for s, d := range [...]*results.Distribution{response: &c.Response, service: &c.Service, lag: &c.Lag, held: &c.Held} {
		*d = results.RanksOf(r.recording.totals[s], 0)
		r.rest()
	}
	if r.paced() {
		c.OfferedPerS, c.ReachedPerS = r.pace.offered, r.pace.reached
	}
	c.Usage = r.observed.usage()
	c.Judge(problemsSoFar(c, r.around))
	return c
}

// paced tells whether the rate can be judged yet. In bursts it cannot: whether
// the last burst has come back depends on the moment.
func (r *reporter) paced() bool {
	arrivals := r.cell.Shape.Arrivals
	steady := arrivals.Even() || arrivals == schedule.Poisson
	return steady && r.last().at-r.first.at >= settled
}
