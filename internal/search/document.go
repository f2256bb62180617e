package search

import "time"

// Schema is the version of a Document: within it, fields are only added.
const Schema = "brokerbench/search/2"

// A Document is what is kept of searches beside the cells of their probes.
type Document struct {
	Schema    string        `json:"schema"` // Schema
	From      int           `json:"from_per_s"`
	Max       int           `json:"max_per_s"`
	Precision float64       `json:"precision"` // as a part of 1
	Window    time.Duration `json:"window_ns"`
	Confirm   time.Duration `json:"confirm_ns"`
	Pause     time.Duration `json:"pause_ns"`   // what is excluded although it was not seen
	AtMost    time.Duration `json:"at_most_ns"` // for each search
	Searches  []Result      `json:"searches"`   // one for each target and shape
}

// NewDocument returns the document of searches that had one config.
func NewDocument(cfg Config, list []Result) Document {
	cfg = cfg.withDefaults()
	d := Document{
		Schema: Schema, From: cfg.From, Max: cfg.Max, Precision: cfg.Precision, Window: cfg.Window, Confirm: cfg.Confirm,
		Pause: max(cfg.Pause, 0), AtMost: cfg.AtMost, Searches: make([]Result, len(list)),
	}
	for i, r := range list {
		r.Probes, r.Rows = append([]Probe{}, r.Probes...), append([]Row{}, r.Rows...) // [], not null
		d.Searches[i] = r
	}
	return d
}
