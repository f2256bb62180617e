package claims

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/results"
)

// Supported returns an error for each claim that the bundle's own trials do not reproduce, and for
// each of their cells whose numbers contradict each other. It finds careless changes: somebody who
// changes all numbers of a cell alike is not noticed.
func Supported(list []Claim, data func(Claim) []compare.Trial) error {
	var errs []error
	seen := make(map[*results.Cell]bool)
	for _, j := range Judge(list, data) {
		for _, t := range data(j.Claim) {
			if err := consistent(t.Cell); err != nil && !seen[t.Cell] {
				errs = append(errs, fmt.Errorf("%s, cell %s: %w", t.Dir, t.Cell.ID, err))
			}
			seen[t.Cell] = true
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
	text := fmt.Sprintf("%s is %.3g", s.Text, s.Ratio)
	if s.Low != nil {
		text += fmt.Sprintf(" [%.3g, %.3g]", *s.Low, *s.High)
	}
	switch {
	case s.MostSaid == 0:
		text += fmt.Sprintf(", claimed: above %.4g", s.LeastSaid)
	case s.LeastSaid == 0:
		text += fmt.Sprintf(", claimed: below %.4g", s.MostSaid)
	default:
		text += fmt.Sprintf(", claimed: %.4g to %.4g", s.LeastSaid, s.MostSaid)
	}
	if s.Repeats < s.enough {
		text += fmt.Sprintf(" (%d of at least %d repeats)", s.Repeats, s.enough)
	}
	return text
}

// consistent returns an error if the numbers of a cell contradict each other: its ledger, the audit,
// or the percentiles and the histogram that they are made from.
func consistent(c *results.Cell) error {
	l := c.Ledger
	if l.Due != l.Done+l.Failed+l.Lost+l.Unsent {
		return fmt.Errorf("due %d is not the sum of done, failed, lost and unsent", l.Due)
	}
	if a := c.Audit; a != nil && a.Error == "" && a.Acked != a.Delivered+a.Kept+a.Missing {
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
