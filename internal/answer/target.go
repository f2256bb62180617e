package answer

import (
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/requester"
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
		t.WindowNS += windowOf(c)
		if b := c.Broker.Durability; b != nil && b.Promised() != requester.None && len(b.NotVerified) > 0 {
			t.unverified = true
		}
		if c.Verdict.Worse(t.Verdict) {
			t.Verdict = c.Verdict
		}
	}
	percentiles := shown(whole[0])
	t.Response, t.Floor = numbers(whole, "response", percentiles), numbers(whole, Floor, percentiles)
	if f := whole[0].Floor; f != nil {
		t.echo = f.What()
	}
	t.Ack, t.Complete = numbers(whole, "ack", percentiles), numbers(whole, "complete", percentiles)
	for _, list := range [][]Number{t.Response, t.Ack, t.Complete} {
		unseen(list, time.Duration(t.WindowNS))
	}
	if t.Service = []Number{}; len(whole) == 1 {
		t.Service = numbers(whole, "service", percentiles)
	}
	t.doubt(whole)
	return t
}

// doubt limits all numbers of a target by the problems that invalidate one of its cells, or make
// half of them suspect.
func (t *Target) doubt(cells []*results.Cell) {
	suspect := make(map[results.Code]int)
	for _, c := range cells {
		for _, p := range c.Problems {
			if p.Severity == results.Valid {
				continue
			}
			if suspect[p.Code]++; p.Severity == results.Suspect && 2*suspect[p.Code] < len(cells) {
				continue
			}
			for _, list := range [][]Number{t.Response, t.Service, t.Ack, t.Complete} {
				for i := range list {
					list[i].limit(p.Code)
				}
			}
		}
	}
}

// limit adds a problem that limits a number.
func (n *Number) limit(code results.Code) {
	if n.Usable = false; !slices.Contains(n.LimitedBy, code) {
		n.LimitedBy = append(n.LimitedBy, code)
		n.Limit = words.And(results.LimitsOf(n.LimitedBy))
	}
}

// windowOf returns how long messages were due in the window of a cell.
func windowOf(c *results.Cell) int64 {
	switch {
	case c.Ledger.Due == 0:
		return 0
	case c.Interrupted && c.OfferedPerS > 0:
		return int64(c.DueFor())
	}
	return int64(c.Plan.Settings.Duration)
}

// Floor is the series of a TCP echo in the target's place.
const Floor = "floor"

// Merged returns the distribution of a series over a target's repeats: see [results.Pooled].
// Ok is false if none has it.
func Merged(repeats []*results.Cell, series string) (d results.Distribution, ok bool) {
	var list []results.Distribution
	for _, c := range repeats {
		switch {
		case slices.Contains(c.SeriesNames(), series):
			list = append(list, c.Series(series))
		case series == Floor && c.Floor != nil:
			list = append(list, c.Floor.Echo.Response)
		}
	}
	return results.Pooled(list), len(list) > 0
}

// numbers returns the percentiles of a series; none if no repeat has it.
func numbers(repeats []*results.Cell, series string, percentiles []float64) []Number {
	list := []Number{} // [], not null
	d, ok := Merged(repeats, series)
	for _, p := range percentiles {
		if ok {
			list = append(list, NumberOf(d, p))
		}
	}
	return list
}

// Unseen returns the percentiles of the response of one cell that pauses would raise which did
// not come.
func Unseen(c *results.Cell) (percentiles []float64) {
	list := numbers([]*results.Cell{c}, "response", results.Percentiles())
	unseen(list, time.Duration(windowOf(c)))
	for _, n := range list {
		if n.Unseen {
			percentiles = append(percentiles, n.Percentile)
		}
	}
	return percentiles
}

// unseen marks the percentiles of a series that pauses would raise which did not come.
func unseen(list []Number, window time.Duration) {
	if len(list) == 0 || window == 0 {
		return
	}
	if longest := list[len(list)-1]; longest.NS == nil || longest.AtLeast || *longest.NS >= int64(results.UnseenPause) {
		return
	}
	for i, n := range list {
		list[i].Unseen = n.Percentile < 100 && results.Unseen(window, time.Duration(*n.NS)) > 1-n.Percentile/100
	}
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

// NumberOf returns a percentile of a distribution. The maximum is the longest reply, even if
// messages are missing.
func NumberOf(d results.Distribution, percentile float64) Number {
	row, _ := d.At(percentile)
	n := Number{
		Percentile: percentile, NS: row.ValueNS, LowNS: row.LowNS, HighNS: row.HighNS, Usable: row.Usable(),
		LimitedBy: row.Codes(), Limit: words.And(row.Limits()), Events: row.Events,
	}
	if percentile == 100 && d.Count > 0 {
		n.AtLeast = d.Missing > 0
		if n.NS == nil {
			n.NS = &d.MaxNS
		}
	}
	return n
}

// Outcomes returns the outcomes of the objectives by the ID of a cell, or of a size of a cell: of all
// its repeats together, if there are several.
func Outcomes(cells []*results.Cell, repeated []*results.Summary) map[string][]results.SLO {
	outcomes := make(map[string][]results.SLO)
	for _, c := range results.BySize(cells) {
		outcomes[c.ID] = c.SLOs
	}
	for _, s := range repeated {
		for _, id := range s.Cells {
			outcomes[id] = s.SLOs
		}
	}
	return outcomes
}
