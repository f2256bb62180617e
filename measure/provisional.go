package measure

import (
	"time"

	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// provisional returns a result of the messages so far, with its verdict.
func (r *reporter) provisional() *results.Cell {
	c := &results.Cell{Plan: r.cell, UsableCores: r.cores}
	for s, d := range [...]*results.Distribution{record.Response: &c.Response, record.Service: &c.Service, record.Lag: &c.Lag, record.Held: &c.Held} {
		*d = results.RanksOf(r.recording.totals[s], 0)
		r.pause()
	}
	if r.paced() {
		c.OfferedPerS, c.ReachedPerS = r.pace.offered, r.pace.reached
	}
	c.Usage = r.observed.usage()
	r.analysis.Provisional(c)
	return c
}

// settled is how much of the window must be over before its rate is known: before, a few messages
// in flight are a per cent of all.
const settled = 3 * time.Second

// paced tells whether the rate can be judged yet. In bursts it cannot: whether
// the last burst has come back depends on the moment.
func (r *reporter) paced() bool {
	arrivals := r.cell.Shape.Arrivals
	steady := arrivals.Even() || arrivals == schedule.Poisson
	return steady && r.last().at-r.first.at >= settled
}
