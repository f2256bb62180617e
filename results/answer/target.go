package answer

import (
	"slices"

	"github.com/brokerbench/brokerbench/results"
)

// merge takes the repeats of a target together.
func (t *Target) merge() {
	t.Verdict, t.Reached = results.Valid, reached(t.repeats)
	t.Service, t.Floor = []Number{}, []Number{} // [], not null
	var floor *results.Floor
	for _, c := range t.repeats {
		t.Cells = append(t.Cells, c.ID)
		t.Ledger.Add(c.Ledger)
		if c.Verdict.Worse(t.Verdict) {
			t.Verdict = c.Verdict
		}
		if slower(c.Floor, floor) {
			floor = c.Floor
		}
	}
	for _, p := range shown(t.repeats[0]) {
		t.Response = append(t.Response, Together(t.repeats, p))
		if len(t.repeats) == 1 {
			t.Service = append(t.Service, numberOf(t.repeats[0].Service, p))
		}
		if floor != nil {
			t.Floor = append(t.Floor, numberOf(floor.Echo.Response, p))
		}
	}
}

// reached returns the least rate of repeats. One in which nothing was due says nothing of
// it, unless there is no other.
func reached(repeats []*results.Cell) float64 {
	least := repeats[0]
	for _, c := range repeats[1:] {
		if c.Ledger.Due > 0 && (least.Ledger.Due == 0 || c.ReachedPerS < least.ReachedPerS) {
			least = c
		}
	}
	return least.ReachedPerS
}

// shown returns the percentiles that were asked for, and the maximum.
func shown(c *results.Cell) []float64 {
	list := append(slices.Clone(c.Plan.Settings.Asked()), 100)
	slices.Sort(list)
	return slices.Compact(list)
}

// slower tells whether a floor is slower than another, by their p99. One is always
// slower than none.
func slower(f, than *results.Floor) bool {
	if f == nil || than == nil {
		return f != nil
	}
	a, b := numberOf(f.Echo.Response, 99), numberOf(than.Echo.Response, 99)
	return a.NS != nil && b.NS != nil && *a.NS > *b.NS
}

// numberOf returns a percentile of one distribution.
func numberOf(d results.Distribution, percentile float64) Number {
	row, _ := d.At(percentile)
	n := Number{Percentile: percentile, NS: row.ValueNS, LowNS: row.LowNS, HighNS: row.HighNS, Usable: row.Usable(), Limit: row.Limit()}
	if percentile == 100 {
		n.longest(d)
	}
	return n
}

// longest makes the number that of the longest reply of what it had and of a
// distribution. It is known whatever is missing.
func (n *Number) longest(d results.Distribution) {
	if d.Count == 0 {
		return
	}
	row, _ := d.At(100)
	ns := row.ValueNS
	if ns == nil {
		ns = &d.MaxNS
	}
	if n.NS == nil || *n.NS < *ns {
		n.NS = ns
	}
	n.AtLeast = n.AtLeast || d.Missing > 0
}

// Together returns a percentile of the response of a target's repeats taken together,
// whether it was asked for or not. Repeats in which nothing was due say nothing of it.
func Together(repeats []*results.Cell, percentile float64) Number {
	if len(repeats) == 1 {
		return numberOf(repeats[0].Response, percentile)
	}
	spread := results.SpreadOf(percentile, repeats)
	n := Number{Percentile: percentile, NS: spread.GeoMeanNS, LowNS: spread.LowNS, HighNS: spread.HighNS, Usable: true}
	for _, c := range repeats {
		if c.Ledger.Due == 0 {
			continue
		}
		one := numberOf(c.Response, percentile)
		n.Usable = n.Usable && one.Usable
		if n.Limit == "" {
			n.Limit = one.Limit
		}
		if percentile == 100 {
			n.longest(c.Response)
		}
	}
	return n
}
