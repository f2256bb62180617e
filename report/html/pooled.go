package html

import (
	"cmp"
	"strconv"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results"
)

// pool sums up the cells of the series.
func (s *series) pool(all []*results.Cell) {
	cells := make([]*results.Cell, len(s.Cells))
	for i, n := range s.Cells {
		cells[i] = all[n]
	}
	s.FloorNS = floorOf(cells)
	if len(cells) == 1 {
		return
	}
	response := results.NewSummary(cells, histogram.New())
	p := &pooled{Verdict: response.Verdict, Ledger: response.Ledger, Reached: cells[0].ReachedPerS}
	for _, c := range cells {
		p.Reached, p.MaxNS = min(p.Reached, c.ReachedPerS), max(p.MaxNS, c.Response.MaxNS)
	}
	p.Response = pooledQuantiles(cells, response, 50, 90, 99, 99.9, 99.99)
	p.Service = pooledQuantiles(services(cells), results.NewSummary(services(cells), histogram.New()), 99)
	p.Response["100"] = quantile{NS: longest(p), Trusted: true}
	s.pooled = p
}

// longest returns the maximum of all repeats; nil if messages are missing, which rank
// above it.
func longest(p *pooled) *int64 {
	if p.Ledger.Missing() > 0 || p.Ledger.Due == 0 {
		return nil
	}
	return &p.MaxNS
}

// services returns the cells with their service times as response times, for
// results.NewSummary, which sums up the latter.
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
func pooledQuantiles(cells []*results.Cell, sum *results.Summary, percentiles ...float64) map[string]quantile {
	rows := make(map[string]quantile, len(percentiles)+1)
	for _, p := range percentiles {
		spread, ok := sum.Spread(p)
		if !ok {
			continue
		}
		q := quantile{NS: spread.GeoMeanNS, Low: spread.LowNS, High: spread.HighNS, Trusted: true}
		for _, c := range cells {
			if at, _ := c.Response.At(p); c.Ledger.Due > 0 && !at.Usable() {
				q.Trusted, q.Limit = false, cmp.Or(q.Limit, at.Limit())
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
