package search

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/run"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// A Prober searches by measuring cells, which its session stores.
type Prober struct {
	Session *run.Session
	// Cell is measured at every rate. Its own rate and window are ignored.
	Cell plan.Cell
	// Ended is called after each probe; it may be nil.
	Ended func(p Probe)
}

// Run searches as cfg says. The objectives of cfg replace those of the cell.
func (p Prober) Run(ctx context.Context, cfg Config) (Result, error) {
	cfg = cfg.withDefaults()
	p.Cell.SLOs, p.Cell.Settings.Percentiles = cfg.Objectives, percentiles(cfg.Objectives)
	p.Cell.Shape.Rate = schedule.Rate(cfg.From)
	r, err := Search(ctx, cfg, p.probe)
	r.Target, r.Shape = p.Cell.Target.Name, p.Cell.Shape
	return r, err
}

func (p Prober) probe(ctx context.Context, probe Probe) (Probe, error) {
	cell := p.Cell
	cell.Shape.Rate, cell.Settings.Duration = schedule.Rate(probe.Rate), probe.Window
	began := time.Now()
	select {
	case <-time.After(probe.Rest):
	case <-ctx.Done():
		return Probe{}, context.Cause(ctx)
	}
	c, seconds, err := p.Session.Count(ctx, cell)
	if err == nil && c.Interrupted {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = acknowledges(c, cell.SLOs)
	}
	if err != nil {
		return Probe{}, err
	}
	probe.Answers, probe.CellID, probe.Cell, probe.Took = Judge(c, seconds), c.ID, c, time.Since(began)
	if p.Ended != nil {
		p.Ended(probe)
	}
	return probe, nil
}

// acknowledges returns an error if an objective limits what the target does not have.
func acknowledges(c *results.Cell, objectives []plan.Objective) error {
	for _, o := range objectives {
		if c.Ack == nil && (o.Series == "ack" || o.Series == "complete") {
			return fmt.Errorf("SLO %v: %s acknowledges nothing: leave it out, or choose an option with which it does", o, c.Plan.Target.Name)
		}
	}
	return nil
}

// percentiles returns those that the objectives name, or the median if they name
// none. The rules judge only these.
func percentiles(objectives []plan.Objective) (asked []float64) {
	for _, o := range objectives {
		if o.Metric == "" && o.Percentile < 100 && !slices.Contains(asked, o.Percentile) {
			asked = append(asked, o.Percentile)
		}
	}
	if len(asked) == 0 {
		asked = []float64{50}
	}
	return asked
}
