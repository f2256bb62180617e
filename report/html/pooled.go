package html

import (
	"cmp"
	"strconv"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/results"
	"github.com/brokerbench/brokerbench/results/answer"
)

// A pooled is what the repeats of a series say together.
type pooled struct {
	Verdict  results.Verdict     `json:"verdict"` // the worst of theirs
	Reached  float64             `json:"reached"` // the lowest of theirs
	Ledger   results.Ledger      `json:"ledger"`  // the sum of theirs
	Response map[string]quantile `json:"response"`
	Service  map[string]quantile `json:"service"` // p99 alone
	MaxNS    int64               `json:"max_ns"`  // the longest reply of all
}

// newPooled sums up the repeats of a target; nil if there is one.
func newPooled(t answer.Target, repeats []*results.Cell) *pooled {
	if len(repeats) < 2 {
		return nil
	}
	p := &pooled{Verdict: t.Verdict, Reached: t.Reached, Ledger: t.Ledger}
	for _, c := range repeats {
		p.MaxNS = max(p.MaxNS, c.Response.MaxNS)
	}
	p.Response = pooledQuantiles(repeats, 50, 90, 99, 99.9, 99.99, 100)
	longest := p.Response["100"] // of the maximum there is no mean
	longest.NS = nil
	if p.Ledger.Due > 0 && p.Ledger.Missing() == 0 { // else those rank above it
		longest.NS = &p.MaxNS
	}
	p.Response["100"] = longest
	p.Service = pooledQuantiles(services(repeats), 99)
	return p
}

// services returns the cells with their service times as response times, for
// results.SpreadOf, which tells how the latter differ.
func services(cells []*results.Cell) (list []*results.Cell) {
	for _, c := range cells {
		served := *c
		served.Response = c.Service
		list = append(list, &served)
	}
	return list
}

// pooledQuantiles are the geometric means of the repeats with their intervals, as
// everything else says them. A percentile is limited by what limits it in any repeat.
func pooledQuantiles(cells []*results.Cell, percentiles ...float64) map[string]quantile {
	rows := make(map[string]quantile, len(percentiles))
	for _, p := range percentiles {
		spread := results.SpreadOf(p, cells)
		q := quantile{NS: spread.GeoMeanNS, Low: spread.LowNS, High: spread.HighNS, Trusted: true}
		for _, c := range cells {
			if at, _ := c.Response.At(p); c.Ledger.Due > 0 && !at.Usable() {
				q.Trusted, q.Limit = false, cmp.Or(q.Limit, words.And(at.Limits()))
			}
		}
		rows[strconv.FormatFloat(p, 'f', -1, 64)] = q
	}
	return rows
}

// floorOf returns p99 of the slowest echo; 0 if none was measured.
func floorOf(cells []*results.Cell) (slowest int64) {
	for _, c := range cells {
		if c.Floor == nil {
			continue
		}
		if at, _ := c.Floor.Echo.Response.At(99); at.ValueNS != nil {
			slowest = max(slowest, *at.ValueNS)
		}
	}
	return slowest
}
