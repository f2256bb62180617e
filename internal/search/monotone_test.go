package search_test

import (
	"testing"

	"github.com/brokerbench/brokerbench/internal/search"
)

// A target that keeps the objective only between two rates is not monotone, wherever the search begins: at
// a rate that misses it, or with rates in between that keep it.
func TestALowerRateMayBeWorse(t *testing.T) {
	for _, tt := range []struct{ from, low, high int }{{1000, 2500, 30_000}, {1000, 1500, 9000}, {2000, 3000, 20_000}, {100, 350, 100_000}} {
		c := &curve{truth: []int{tt.high}, answer: func(p search.Probe, truth int) search.Answer {
			return keptIf(p.Rate >= tt.low && p.Rate <= truth)
		}}
		r := find(t, c, search.Config{From: tt.from, Precision: 0.05})
		row := r.Rows[0]
		if row.Status != search.Opposed || row.Rate < tt.low || row.Rate > tt.high || row.Above >= tt.low || row.At == nil || row.Over == nil {
			t.Errorf("%+v: %+v", tt, row)
		}
		if search.Worst([]search.Result{r}) != search.Opposed {
			t.Errorf("%+v: worst is %v", tt, search.Worst([]search.Result{r}))
		}
	}
}

// A target that became slower during the search, and stays so, is not called so: what it kept it no longer
// keeps.
func TestATargetThatBecameSlowerIsMonotone(t *testing.T) {
	for after := 1; after < 40; after++ {
		n := 0
		c := &curve{truth: []int{20_000}, answer: func(p search.Probe, truth int) search.Answer {
			if n++; n > after {
				truth /= 20 // below the lowest rate
			}
			return keptIf(p.Rate <= truth)
		}}
		if row := find(t, c, search.Config{From: 2000, Precision: 0.05}).Rows[0]; row.Status == search.Opposed {
			t.Errorf("slower after %d probes: %+v", after, row)
		}
	}
}
