// Package search finds the highest rate at which a target keeps an objective. It
// doubles the rate until the target no longer keeps the objective, and halves the
// bracket until it is narrow enough. Then it measures a rate on each side until both
// are decided.
//
// All windows of a rate are judged together, by the 99 % confidence interval of the
// share of messages over the limit: see [Config]. In the end it measures rates below the
// answer: a target that misses the objective there is reported as not monotone.
package search

import (
	"context"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// Schema is the version of a Document: within it, fields are only added.
const Schema = "brokerbench/search/2"

// A Document is what is kept of searches beside the cells of their probes. Its Pause is never
// negative, and AtMost is that of each search.
type Document struct {
	Schema string `json:"schema"` // Schema
	Config
	Searches []Result `json:"searches"` // one for each target and shape
}

// NewDocument returns the document of searches that had one config.
func NewDocument(cfg Config, list []Result) Document {
	d := Document{Schema: Schema, Config: cfg.withDefaults(), Searches: []Result{}}
	d.Pause = max(d.Pause, 0)
	for _, r := range list {
		r.Probes, r.Rows = append([]Probe{}, r.Probes...), append([]Row{}, r.Rows...) // [], not null
		d.Searches = append(d.Searches, r)
	}
	return d
}

// A Probe is one measurement at one rate.
type Probe struct {
	Rate    int           `json:"rate_per_s"`
	Window  time.Duration `json:"window_ns"`
	Confirm bool          `json:"confirm"`           // it was to decide about the rate, not to find the way
	Rest    time.Duration `json:"rest_ns,omitempty"` // before it, because of an overload
	Spoiled bool          `json:"spoiled,omitempty"` // an earlier overload made the target slow: it is no evidence
	Took    time.Duration `json:"took_ns"`           // with its warm-up and all else; at least the window
	Answers []Judgement   `json:"answers"`           // one for each objective, in the order of the config
	CellID  string        `json:"cell"`              // in the result set; "" if nothing is stored

	Cell *results.Cell `json:"-"` // what was measured; may be nil
}

// A ProbeFunc measures at the rate and for the window of p, after its rest and a warm-up. It
// returns p with its answers, how long it took, and its cell. An error ends the search.
type ProbeFunc func(ctx context.Context, p Probe) (Probe, error)

// A Result is what a search found on one target.
type Result struct {
	Target string        `json:"target"`
	Shape  plan.Shape    `json:"shape"` // its rate is the one at which the search began
	Took   time.Duration `json:"took_ns"`
	Rows   []Row         `json:"rows"` // one for each objective, in the order of the config
	Probes []Probe       `json:"probes"`
	// Hysteresis is how long the target had to rest after an overload until it carried a rate
	// again that it had carried before; absent: no longer than after any overload.
	Hysteresis time.Duration `json:"hysteresis_ns,omitempty"`
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
	seen := newBook(cfg)
	tracks := make([]track, len(cfg.Objectives))
	for i := range tracks {
		tracks[i] = track{cfg: cfg, objective: i, seen: seen}
	}
	c := careful{probe: probe, seen: seen, rest: min(cfg.Window, DefaultWindow), add: func(p Probe) {
		seen.add(p)
		r.Probes = append(r.Probes, p.stripped())
	}}
	var err error
	for w, more := next(tracks); more && err == nil && !c.stuck; w, more = next(tracks) {
		if err = ctx.Err(); err == nil {
			err = c.measure(ctx, Probe{Rate: w.rate, Window: w.window, Confirm: w.decide})
		}
	}
	for _, t := range tracks {
		row := t.row(err == nil)
		if c.stuck && row.Status == NotDecided {
			row.Status, row.Reason, row.Needs = Hysteresis, c.why(), 0
		}
		r.Rows = append(r.Rows, row)
	}
	r.Took, r.Hysteresis = seen.spent, c.proved
	return r, err
}

// next returns what is to be measured next; more is false if the search is over for
// every objective, or if there is no time left for the next step.
func next(tracks []track) (w wish, more bool) {
	for _, t := range tracks {
		wanted, unknown := t.next()
		if unknown && (!more || wanted.before(w)) {
			w, more = wanted, true
		}
	}
	if !more {
		return w, false
	}
	// A last window may be shorter than it was wanted, but not shorter than any.
	t := tracks[0]
	w.window = min(w.window, t.seen.left().Truncate(time.Second/10))
	return w, w.window >= t.cfg.window(w.rate)
}

// stripped returns the probe without what only the evidence needs.
func (p Probe) stripped() Probe {
	for i := range p.Answers {
		p.Answers[i].Seconds, p.Answers[i].Values = nil, nil
	}
	return p
}
