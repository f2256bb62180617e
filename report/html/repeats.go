package html

import "github.com/brokerbench/brokerbench/results"

// repeats are the repeats of one cell, summed up.
type repeats struct {
	Run     int               `json:"run"` // in document.Runs
	ID      string            `json:"id"`
	Target  string            `json:"target"`
	Rate    int               `json:"rate"`
	Cells   []string          `json:"cells"` // the IDs of the repeats
	Verdict results.Verdict   `json:"verdict"`
	Ledger  results.Ledger    `json:"ledger"`
	MaxNS   int64             `json:"max_ns"`  // of the replies, whatever is missing
	Spreads map[string]spread `json:"spreads"` // by percentile, such as "99.9"
}

// A spread is how much a percentile differs between repeats. Null is unknown.
type spread struct {
	Median    *int64   `json:"median"`
	Min       *int64   `json:"min"`
	Max       *int64   `json:"max"`
	Variation *float64 `json:"variation"` // per cent
	Trusted   bool     `json:"trusted"`
}

func (d *document) addRepeats(run int, list []*results.Summary) {
	for _, s := range list {
		r := repeats{
			Run: run, ID: s.ID, Target: s.Plan.Target.Name, Rate: s.Plan.Shape.Rate, Cells: s.Cells, Verdict: s.Verdict,
			Ledger: s.Ledger, MaxNS: s.Response.MaxNS, Spreads: make(map[string]spread),
		}
		for _, p := range []float64{50, 99, 99.9, 100} {
			if at, ok := s.Spread(p); ok {
				r.Spreads[number(p)] = spread{at.MedianNS, at.MinNS, at.MaxNS, at.Variation, at.Trusted}
			}
		}
		d.Repeats = append(d.Repeats, r)
	}
}
