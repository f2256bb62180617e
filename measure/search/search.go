// Package search finds the highest rate at which a target keeps an objective: it
// doubles the rate until the objective is no longer kept, narrows the bracket by
// halving it, and confirms what it found with longer runs on either side.
//
// It takes for granted that a target that does not keep an objective at one rate
// does not keep it at a higher one either. That a single run says otherwise is
// noise: see [Config] for how much of it is forgiven.
package search

import (
	"context"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A Probe is one measurement at one rate.
type Probe struct {
	Rate    int           `json:"rate_per_s"`
	Window  time.Duration `json:"window_ns"`
	Confirm bool          `json:"confirm"` // a longer run, at the end of the search
	Answers []Judgement   `json:"answers"` // one for each objective, in their order
	CellID  string        `json:"cell"`    // in the result set; "" if nothing is stored

	Cell *results.Cell `json:"-"` // what was measured; may be nil
}

// A ProbeFunc measures at the rate and for the window of p, behind a warm-up. It
// returns p with the answers and the cell. An error ends the search.
type ProbeFunc func(ctx context.Context, p Probe) (Probe, error)

// A Result is what a search found on one target.
type Result struct {
	Target string     `json:"target"`
	Shape  plan.Shape `json:"shape"` // its rate is the one that the search began with
	Rows   []Row      `json:"rows"`  // one for each objective, in their order
	Probes []Probe    `json:"probes"`
}

// Search finds the highest rate for each objective of cfg. All objectives share
// the probes: each probe answers for all of them.
//
// When a probe returns an error, or ctx ends, the result is what is known so far
// and its rows that are not finished say so.
func Search(ctx context.Context, cfg Config, probe ProbeFunc) (Result, error) {
	cfg = cfg.withDefaults()
	var r Result
	if err := cfg.Validate(); err != nil {
		return r, err
	}
	tracks := make([]*track, len(cfg.Objectives))
	for i := range tracks {
		tracks[i] = &track{cfg: cfg, objective: i}
	}
	seen := make(book)
	var err error
	for at, more := next(tracks, seen); more && err == nil; at, more = next(tracks, seen) {
		if err = ctx.Err(); err != nil {
			break
		}
		p := Probe{Rate: at.rate, Window: cfg.window(at), Confirm: at.long}
		if p, err = probe(ctx, p); err == nil {
			seen[at] = append(seen[at], p)
			r.Probes = append(r.Probes, p)
		}
	}
	for _, t := range tracks {
		r.Rows = append(r.Rows, t.row(seen))
	}
	return r, err
}

// next returns the point to be measured next; more is false if every objective
// has its rate. Narrowing comes before confirming, and low rates before high
// ones, so that objectives share as many probes as they can.
func next(tracks []*track, seen book) (at point, more bool) {
	for _, t := range tracks {
		wanted, unknown := t.advance(seen)
		if unknown && (!more || wanted.before(at)) {
			at, more = wanted, true
		}
	}
	return at, more
}
