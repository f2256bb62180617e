package answer

import (
	"slices"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/results"
)

func targetOf(repeats []*results.Cell) Target {
	whole := results.Whole(repeats, func(c *results.Cell) *results.Cell { return c })
	t := Target{Name: repeats[0].Plan.Target.Name, Verdict: results.Valid, Reached: reached(whole)}
	for _, c := range repeats {
		if !slices.Contains(whole, c) {
			t.LeftOut = append(t.LeftOut, c.ID)
		}
	}
	for _, c := range whole {
		t.Cells = append(t.Cells, c.ID)
		t.Ledger.Add(c.Ledger)
		if c.Verdict.Worse(t.Verdict) {
			t.Verdict = c.Verdict
		}
	}
	percentiles := shown(whole[0])
	t.Response = merged(whole, percentiles)
	t.Service, t.Floor = []Number{}, []Number{} // [], not null
	if services, _ := As(whole, func(c *results.Cell) *results.Distribution { return &c.Service }); len(whole) == 1 {
		t.Service = merged(services, percentiles)
	}
	if acks, ok := As(whole, func(c *results.Cell) *results.Distribution { return c.Ack }); ok {
		t.Ack = merged(acks, percentiles)
	}
	if completes, ok := As(whole, func(c *results.Cell) *results.Distribution { return c.Complete }); ok {
		t.Complete = merged(completes, percentiles)
	}
	if floors, ok := As(whole, floor); ok {
		t.Floor = merged(floors, percentiles)
	}
	return t
}

func merged(repeats []*results.Cell, percentiles []float64) (list []Number) {
	for _, p := range percentiles {
		list = append(list, Merged(repeats, p))
	}
	return list
}

// reached returns the least rate of repeats, without those that had no due messages unless all
// had none.
func reached(repeats []*results.Cell) float64 {
	least := repeats[0]
	for _, c := range repeats[1:] {
		if c.Ledger.Due > 0 && (least.Ledger.Due == 0 || c.ReachedPerS < least.ReachedPerS) {
			least = c
		}
	}
	return least.ReachedPerS
}

// shown returns the percentiles of the plan, and the maximum.
func shown(c *results.Cell) []float64 {
	list := append(slices.Clone(c.Plan.Settings.Asked()), 100)
	slices.Sort(list)
	return slices.Compact(list)
}

// numberOf returns a percentile of one distribution.
func numberOf(d results.Distribution, percentile float64) Number {
	row, _ := d.At(percentile)
	n := Number{Percentile: percentile, NS: row.ValueNS, LowNS: row.LowNS, HighNS: row.HighNS, Usable: row.Usable(), Limit: words.And(row.Limits())}
	if percentile == 100 {
		n.longest(d)
	}
	return n
}

// longest extends a maximum by that of a distribution. It is the longest reply, even if messages
// are missing.
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

// Merged returns a percentile of the response over a target's repeats, whether or not the plan
// asks for it. Repeats without due messages do not count.
func Merged(repeats []*results.Cell, percentile float64) Number {
	if len(repeats) == 1 {
		return numberOf(repeats[0].Response, percentile)
	}
	spread := results.SpreadOf(percentile, repeats)
	n := Number{Percentile: percentile, NS: spread.GeoMeanNS, LowNS: spread.LowNS, HighNS: spread.HighNS, Usable: true, Limit: words.And(spread.Limits)}
	for _, c := range repeats {
		if c.Ledger.Due == 0 {
			continue
		}
		n.Usable = n.Usable && numberOf(c.Response, percentile).Usable
		if percentile == 100 {
			n.longest(c.Response)
		}
	}
	return n
}

// Floor returns a percentile of the floors over a target's repeats; ok is false if none has one.
func Floor(repeats []*results.Cell, percentile float64) (n Number, ok bool) {
	floors, ok := As(repeats, floor)
	if !ok {
		return Number{}, false
	}
	return Merged(floors, percentile), true
}

// floor returns the response of a TCP echo in the target's place; nil if it was not measured.
func floor(c *results.Cell) *results.Distribution {
	if c.Floor == nil {
		return nil
	}
	return &c.Floor.Echo.Response
}

// As returns cells with another series as the response, for [Merged]; ok is false if none has
// it. Series returns nil for a cell without it.
func As(cells []*results.Cell, series func(*results.Cell) *results.Distribution) (list []*results.Cell, ok bool) {
	for _, c := range cells {
		if d := series(c); d != nil {
			list = append(list, &results.Cell{Ledger: c.Ledger, Response: *d})
		}
	}
	return list, len(list) > 0
}
