package results

import (
	"cmp"
	"math"
	"slices"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/plan"
)

// A Summary sums up the repeats of one target × shape. It is the content of
// summary.json.
type Summary struct {
	Schema   string       `json:"schema"`   // SummarySchema
	ID       string       `json:"id"`       // the common part of the repeats' IDs, see plan.Cell.SharedID
	Plan     plan.Cell    `json:"plan"`     // as planned; its repeat is 0
	Cells    []string     `json:"cells"`    // the IDs of the measured repeats, in the order of measuring
	Verdict  Verdict      `json:"verdict"`  // the worst of theirs
	Ledger   Ledger       `json:"ledger"`   // the sum of theirs
	Response Distribution `json:"response"` // of all their messages: of the merged histogram. Its percentiles leave out interrupted repeats, and have intervals and uses: see Pooled
	Spreads  []Spread     `json:"spreads"`  // the variation between repeats, for each of Percentiles

	SLOs   []SLO          `json:"slos,omitempty"`   // the outcomes of the objectives, for all repeats together
	Pauses *PooledPauses  `json:"pauses,omitempty"` // absent if they are unknown in all repeats
	Faults []FaultSummary `json:"faults,omitempty"` // in the order of the plan
}

// NewSummary sums up cells that are repeats of each other, at least one. merged is
// the histogram of all their response times.
func NewSummary(cells []*Cell, merged *histogram.Histogram) *Summary {
	s := &Summary{Schema: SummarySchema, Plan: cells[0].Plan, Verdict: Valid}
	s.Plan.Repeat = 0
	s.ID = s.Plan.SharedID()
	for _, c := range cells {
		s.Cells = append(s.Cells, c.ID)
		s.Ledger.Add(c.Ledger)
		if c.Verdict.Worse(s.Verdict) {
			s.Verdict = c.Verdict
		}
	}
	s.Response, s.Pauses, s.Faults = NewDistribution(merged, s.Ledger.Missing()), pool(cells), FaultsOf(cells)
	var responses []Distribution
	for _, c := range Whole(cells, func(c *Cell) *Cell { return c }) {
		responses = append(responses, c.Response)
	}
	for i, row := range Pooled(responses).Percentiles {
		exact := s.Response.Percentiles[i]
		if s.Response.Percentiles[i] = row; len(responses) == len(cells) {
			s.Response.Percentiles[i].ValueNS, s.Response.Percentiles[i].SamplesAbove = exact.ValueNS, exact.SamplesAbove
		}
	}
	for _, row := range s.Response.Percentiles {
		spread := SpreadOf(row.Percentile, cells)
		spread.MergedNS = row.ValueNS
		s.Spreads = append(s.Spreads, spread)
	}
	return s
}

// A Spread is the variation of one percentile of response between repeats. Repeats without
// a due message are left out. A percentile that missing messages make unknown ranks above
// every value.
type Spread struct {
	Percentile float64 `json:"percentile"`
	// The median is a repeat's own value, the upper of the two in the middle of
	// an even number: percentiles are never averaged. Null: unknown.
	MedianNS  *int64   `json:"median_ns"`
	MinNS     *int64   `json:"min_ns"`            // null: unknown in every repeat
	MaxNS     *int64   `json:"max_ns"`            // null: unknown in at least one repeat
	Variation *float64 `json:"variation_percent"` // (max − min)/median·100; null: unknown, or fewer than two repeats
	MergedNS  *int64   `json:"merged_ns"`         // of all messages together, as in Summary.Response
}

// SpreadOf returns the variation of a percentile of response between repeats, without
// MergedNS.
func SpreadOf(percentile float64, cells []*Cell) Spread {
	s := Spread{Percentile: percentile}
	var values []*int64
	for _, c := range cells {
		row, ok := c.Response.At(percentile)
		if !ok || c.Ledger.Due == 0 {
			continue
		}
		values = append(values, row.ValueNS)
	}
	if len(values) == 0 {
		return s
	}
	slices.SortFunc(values, func(a, b *int64) int { return cmp.Compare(orMost(a), orMost(b)) })
	s.MinNS, s.MedianNS, s.MaxNS = values[0], values[len(values)/2], values[len(values)-1]
	if s.MaxNS == nil {
		return s
	}
	if len(values) > 1 && *s.MedianNS != 0 {
		s.Variation = new(100 * float64(*s.MaxNS-*s.MinNS) / float64(*s.MedianNS))
	}
	return s
}

// orMost returns the most for an unknown value.
func orMost(v *int64) int64 {
	if v == nil {
		return math.MaxInt64
	}
	return *v
}

// Spread returns the spread of a percentile; ok is false if there is none.
func (s *Summary) Spread(percentile float64) (spread Spread, ok bool) {
	i := slices.IndexFunc(s.Spreads, func(s Spread) bool { return s.Percentile == percentile })
	if i < 0 {
		return Spread{}, false
	}
	return s.Spreads[i], true
}
