// Package search finds the highest rate at which a target keeps an objective. It
// doubles the rate until the target no longer keeps the objective, halves the
// bracket until it is narrow enough, and confirms the result with longer runs on
// both sides.
//
// It assumes that a target that does not keep an objective at one rate does not
// keep it at a higher one either. A single run that says otherwise is noise:
// [Config] says how much of it the search tolerates.
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
	Confirm bool          `json:"confirm"` // a longer run that confirms a rate
	Answers []Judgement   `json:"answers"` // one for each objective, in the order of the config
	CellID  string        `json:"cell"`    // in the result set; "" if nothing is stored

	Cell *results.Cell `json:"-"` // what was measured; may be nil
}

// A ProbeFunc measures at the rate and for the window of p, after a warm-up. It
// returns p with its answers and its cell. An error ends the search.
type ProbeFunc func(ctx context.Context, p Probe) (Probe, error)

// A Result is what a search found on one target.
type Result struct {
	Target string     `json:"target"`
	Shape  plan.Shape `json:"shape"` // its rate is the one at which the search began
	Rows   []Row      `json:"rows"`  // one for each objective, in the order of the config
	Probes []Probe    `json:"probes"`
}

// Search finds the highest rate for each objective of cfg. Every probe answers for
// all objectives.
//
// If a probe returns an error, or ctx ends, the result is what is known so far, and
// the rows that are not finished say so.
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

// next returns the point to be measured next; more is false if the search is over
// for every objective. Narrowing comes before confirming, and low rates come before
// high ones, so that objectives share as many probes as they can.
func next(tracks []*track, seen book) (at point, more bool) {
	for _, t := range tracks {
		wanted, unknown := t.advance(seen)
		if unknown && (!more || wanted.before(at)) {
			at, more = wanted, true
		}
	}
	return at, more
}
