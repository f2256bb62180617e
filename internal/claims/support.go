package claims

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/search"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// Supported returns an error for each claim that the bundle's own runs do not reproduce, and for
// each of their cells and searches whose numbers contradict each other. It finds careless changes: somebody who
// changes all numbers of a cell alike is not noticed.
func Supported(list []Claim, data func(Claim) []*Run) error {
	var errs []error
	seen := make(map[*Run]bool)
	for _, j := range Judge(list, data) {
		for _, run := range data(j.Claim) {
			if !seen[run] {
				errs = append(errs, run.consistent())
			}
			seen[run] = true
		}
		if j.Outcome != Reproduced {
			errs = append(errs, fmt.Errorf("claim %s is not supported by its own data: %s", j.ID, j.Why()))
		}
	}
	return errors.Join(errs...)
}

// Why describes the outcome in numbers.
func (j Judged) Why() string {
	if j.Reason != "" {
		return j.Reason
	}
	var parts []string
	for _, s := range j.Statements {
		if j.Outcome == Reproduced || s.Outcome != Reproduced {
			parts = append(parts, s.String())
		}
	}
	return strings.Join(parts, "; ")
}

// String returns the ratio, its interval and the bounds that the claim states.
func (s Statement) String() string {
	text := s.Text
	switch {
	case s.Low != nil && s.High != nil && *s.Low == *s.High: // of one search
		text += fmt.Sprintf(" is %.3g", *s.Low)
	case s.Low != nil && s.High != nil:
		text += fmt.Sprintf(" is %.3g [%.3g, %.3g]", s.Ratio, *s.Low, *s.High)
	case s.Low != nil:
		text += fmt.Sprintf(" is at least %.3g", *s.Low)
	case s.High != nil:
		text += fmt.Sprintf(" is at most %.3g", *s.High)
	default:
		text += fmt.Sprintf(" is %.3g", s.Ratio)
	}
	switch {
	case s.MostSaid == 0:
		text += fmt.Sprintf(", claimed: above %.4g", s.LeastSaid)
	case s.LeastSaid == 0:
		text += fmt.Sprintf(", claimed: below %.4g", s.MostSaid)
	default:
		text += fmt.Sprintf(", claimed: %.4g to %.4g", s.LeastSaid, s.MostSaid)
	}
	switch {
	case s.Repeats < s.enough && s.searched:
		text += fmt.Sprintf(" (%d of at least %d searches: a factor of %v from a bound decides)", s.Repeats, s.enough, apart)
	case s.Repeats < s.enough:
		text += fmt.Sprintf(" (%d of at least %d repeats)", s.Repeats, s.enough)
	}
	return text
}

// consistent returns an error for each cell and search whose numbers contradict each other.
func (r *Run) consistent() error {
	var errs []error
	for _, t := range r.Trials {
		if err := consistent(t.Cell); err != nil {
			errs = append(errs, fmt.Errorf("%s, cell %s: %w", r.Dir, t.Cell.ID, err))
		}
	}
	for _, s := range r.searches() {
		for i, row := range s.Rows {
			if err := r.consistentRow(s, i); err != nil {
				errs = append(errs, fmt.Errorf("%s, search of %s for %v: %w", r.Dir, s.Target, row.Objective, err))
			}
		}
	}
	return errors.Join(errs...)
}

// consistentRow returns an error if no probe measured the rates that a search found, or if a probe
// that kept the objective was over its limit.
func (r *Run) consistentRow(s search.Result, i int) error {
	row := s.Rows[i]
	atRate, above := row.Rate == 0, row.Above == 0
	for _, p := range s.Probes {
		if i >= len(p.Answers) {
			continue
		}
		kept := p.Answers[i].Answer == search.Kept
		atRate, above = atRate || kept && p.Rate == row.Rate, above || !kept && p.Rate == row.Above
		k := slices.IndexFunc(r.Trials, func(t compare.Trial) bool { return t.Cell.ID == p.CellID })
		if k < 0 {
			continue
		}
		cell := r.Trials[k].Cell
		if rate := cell.Plan.Shape.Rate; rate != schedule.Rate(p.Rate) {
			return fmt.Errorf("the probe at %d/s is a cell at %v", p.Rate, rate)
		}
		at, _ := cell.Series(row.Objective.Series).At(row.Objective.Percentile)
		if v, known := at.Value(); kept && row.Objective.Metric == "" && (!known || float64(v) > 1.01*row.Objective.Limit) {
			return fmt.Errorf("the probe at %d/s kept it with %v", p.Rate, v)
		}
	}
	if !atRate || !above {
		return fmt.Errorf("no probe kept it at %d/s, or none missed it at %d/s", row.Rate, row.Above)
	}
	return nil
}

// consistent returns an error if the numbers of a cell contradict each other: its ledger, the audit,
// or the percentiles and the histogram that they are made from.
func consistent(c *results.Cell) error {
	l := c.Ledger
	if l.Due != l.Done+l.Failed+l.Lost+l.Unsent {
		return fmt.Errorf("due %d is not the sum of done, failed, lost and unsent", l.Due)
	}
	if a := c.Audit; a != nil && a.Error == "" && a.Acked != a.Delivered+a.Kept+a.Missing+a.Discarded {
		return fmt.Errorf("%d acknowledged messages are not the sum of delivered, kept and missing", a.Acked)
	}
	if c.Response.Histogram == "" {
		return nil // of an earlier version
	}
	h := histogram.New()
	var d histogram.Decoder
	if err := d.AddText(c.Response.Histogram, h); err != nil {
		return fmt.Errorf("response: %w", err)
	}
	made := results.RanksOf(h, c.Response.Missing)
	if h.Count() != c.Response.Count {
		return fmt.Errorf("response: %d values, but %d in the histogram", c.Response.Count, h.Count())
	}
	for _, row := range c.Response.Percentiles {
		v, ok := row.Value()
		if w, alsoOK := made.At(row.Percentile); alsoOK && row.Percentile < 100 {
			if want, known := w.Value(); known != ok || math.Abs(float64(v-want)) > 0.01*float64(want) {
				return fmt.Errorf("response: p%v is %v, but %v in the histogram", row.Percentile, v, want)
			}
		}
	}
	return nil
}
